"""The specification of the published result, whose schemas the report shows beside the new ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipeline.fetch.specification import FetchedSpec
from pipeline.model.document.located import read_document, resolve_pointer
from preprocess.document.overlay import apply_overlay
from preprocess.swagger.check import is_swagger


def read_previous_schemas(spec: FetchedSpec, overlays: Mapping[str, bytes]) -> Callable[[str], Any] | None:
    """Return a function from a JSON pointer to its value in a specification; None for a Swagger 2.0 document.

    Args:
        spec: the specification.
        overlays: the overlays to apply to it.

    Raises:
        Failure: `spec/…` if it cannot be read, `overlay/…` if an overlay does not fit it.
    """
    document = read_document(spec.content, spec.origin)
    if is_swagger(document):
        return None
    for name, text in overlays.items():
        document, _ = apply_overlay(document, read_document(text, name))
    return lambda pointer: resolve_pointer(document, pointer)
