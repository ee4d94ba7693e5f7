"""The options of a field that a schema names: `x-proto-options`, as a rule set by an overlay.

They are printed as they are, so only a name and a literal may stand there. Source: protobuf language specification,
options and constants.
"""

from __future__ import annotations

import re

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, locate_child
from pipeline.model.identifiers import derive_field_name

OPTIONS = "x-proto-options"
_PART = r"[A-Za-z_][A-Za-z0-9_]*"
_PATH = rf"{_PART}(?:\.{_PART})*"
_NAME = re.compile(rf"(?:{_PATH}|\(\.?{_PATH}\))(?:\.{_PATH})?")
_VALUE = re.compile(rf"{_PART}|-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")


_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def field_name_of(name: str, schema: LocatedMap) -> str:
    """Return the field name of a property or parameter: `x-protobuf-name`, else the name derived from its key."""
    chosen = schema.get("x-protobuf-name")
    if chosen is None:
        return derive_field_name(name)
    if not isinstance(chosen, str) or not _FIELD.fullmatch(chosen):
        place, hint = locate_child(schema.place, "x-protobuf-name"), "write it in lower case, with `_` between words"
        raise Failure(Diagnostic("names/invalid", f"`{chosen}` cannot be the name of a field", place, hint))
    return chosen


def field_options(schema: LocatedMap) -> tuple[tuple[str, str], ...]:
    """The options of a schema's field, sorted: name and literal.

    Raises:
        Failure: `names/invalid` where a name is no option's, or a value no literal.
    """
    given = schema.get(OPTIONS)
    if not isinstance(given, LocatedMap):
        return ()
    diagnostics = []
    for name, value in given.items():
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(_literal(value)):
            place, hint = (
                locate_child(given.place, name),
                "name an option, and give it a boolean, a number or an enum value",
            )
            diagnostics.append(
                Diagnostic("names/invalid", f"`{name}: {value}` cannot be an option of a field", place, hint)
            )
    if diagnostics:
        raise Failure(diagnostics)
    return tuple(sorted((name, _literal(value)) for name, value in given.items()))


def _literal(value: object) -> str:
    """A boolean, a number or a name as protobuf writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
