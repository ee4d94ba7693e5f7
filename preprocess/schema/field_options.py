"""Read what vendor extensions, often set by an overlay, say about a field: `x-protobuf-name` and `x-proto-options`.

Options are printed as they are, so only a name and a literal are allowed. Source: protobuf language specification,
options and constants.
"""

from __future__ import annotations

import re

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, locate_child
from pipeline.model.identifiers import derive_field_name

OPTIONS = "x-proto-options"
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"
_PATH = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER})*"
_NAME = re.compile(rf"(?:{_PATH}|\(\.?{_PATH}\))(?:\.{_PATH})?")
_VALUE = re.compile(rf"{_IDENTIFIER}|-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")


def choose_field_name(name: str, schema: LocatedMap) -> str:
    """Return the field name of a property or parameter: `x-protobuf-name`, else the name derived from its key."""
    chosen = schema.get("x-protobuf-name")
    if chosen is None:
        return derive_field_name(name)
    if not isinstance(chosen, str) or not _FIELD.fullmatch(chosen):
        message = f"expected a field name such as `page_size`, found `{chosen}`"
        hint = "use letters, digits and `_`, and begin with a letter"
        place = locate_child(schema.place, "x-protobuf-name")
        raise Failure(Diagnostic("names/invalid", message, place, hint))
    return chosen


def read_field_options(schema: LocatedMap) -> tuple[tuple[str, str], ...]:
    """Return the field options of a schema as pairs of name and literal, sorted.

    Raises:
        Failure: `names/invalid` if a name is no option name, or a value no literal.
    """
    options = schema.get(OPTIONS)
    if not isinstance(options, LocatedMap):
        return ()
    diagnostics = []
    for name, value in options.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(_format_literal(value)):
            message = f"expected the name and value of a field option, found `{name}: {value}`"
            hint = "write an option name with a boolean, a number or an enum value"
            diagnostics.append(Diagnostic("names/invalid", message, locate_child(options.place, name), hint))
    if diagnostics:
        raise Failure(diagnostics)
    return tuple(sorted((name, _format_literal(value)) for name, value in options.items()))


def _format_literal(value: object) -> str:
    """Return a boolean, a number or a name as protobuf writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
