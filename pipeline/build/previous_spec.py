"""The specification of before, which the report shows beside the one of now."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pipeline.fetch.specification import FetchedSpec
from pipeline.model.document.located import read_document, resolve_pointer
from preprocess.document.overlay import apply_overlay
from preprocess.swagger.check import is_swagger


def earlier_schemas(spec: FetchedSpec, overlays: Mapping[str, bytes]) -> Callable[[str], Any] | None:
    """What stood at a pointer of an earlier specification, overlays applied; None for one in Swagger 2.0.

    Raises:
        Failure: `spec/…` where it cannot be read, `overlay/…` where an overlay does not fit it.
    """
    document = read_document(spec.content, spec.origin)
    if is_swagger(document):
        return None
    for name, text in overlays.items():
        document, _ = apply_overlay(document, read_document(text, name))
    return lambda pointer: resolve_pointer(document, pointer)
