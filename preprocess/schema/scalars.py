"""The one table of types: JSON schema type, format and bounds → protobuf scalar.

Sources: OpenAPI 3.1.0, section 4.4 (data types); JSON Schema validation 2020-12, sections 6.2, 7.3 and 8; the OpenAPI
format registry; protobuf guide, scalar types.
"""

from __future__ import annotations

from typing import Any

from pipeline.model.contract import SCALARS
from pipeline.model.profile.profile import Conversion
from preprocess.schema.shapes import GENERAL_NUMBER, STRING, Kind, Shape, with_rule

RULE_BINARY = "binary"
RULE_DIGITS = "long-numbers"
RULE_PLAIN = "plain-integer"
RULE_TEXT = "text-formats"
_DIGITS = Shape(Kind.SCALAR, "string", encoding="number", rules=(RULE_DIGITS,))
_INTEGERS = {
    "int32": "int32",
    "int64": "int64",
    "uint32": "uint32",
    "uint64": "uint64",
    "int16": "int32",
    "int8": "int32",
    "uint16": "uint32",
    "uint8": "uint32",
    "long": "int64",
}
_NUMBERS = {"float": "float", "double": "double", **_INTEGERS}
_LONG = frozenset({"bigint", "biginteger", "int128", "uint128", "int256", "uint256"})
_DECIMAL = frozenset({"decimal", "decimal128", "bigdecimal"})
# A bound of 64 bits that a tool has rounded to a double is that bound; hence ranges and bounds are compared as doubles.
_RANGES = {
    "int32": (-(2.0**31), 2.0**31 - 1),
    "uint32": (0.0, 2.0**32 - 1),
    "int64": (-(2.0**63), 2.0**63),
    "uint64": (0.0, 2.0**64),
}
_HUGE = 1e300
_BASE64 = {"base64": "base64", "base64url": "base64url"}
_TEXT_MEDIA = ("text/", "application/json", "application/xml", "application/yaml")


def scalar(type_name: str, schema: dict[str, Any], choices: Conversion) -> Shape:
    """The shape of a schema of one scalar type.

    Args:
        type_name: boolean, integer, number or string.
        schema: for its format, its bounds and its encoding.
        choices: for what an integer of unknown range is.
    """
    if type_name == "boolean":
        return Shape(Kind.SCALAR, "bool", rules=("scalar-types",))
    if type_name == "integer":
        return _integer(schema, choices.plain_integer)
    if type_name == "string":
        return _string(schema)
    if schema.get("format") in _DECIMAL:
        return _DIGITS
    known = _NUMBERS.get(schema.get("format", ""))
    return Shape(Kind.SCALAR, known, rules=("scalar-types",)) if known else GENERAL_NUMBER


def _integer(schema: dict[str, Any], plain: str) -> Shape:
    """The first type that takes all values of an integer; the digits themselves where not even 64 bits do."""
    if schema.get("format") in _LONG:
        return _DIGITS
    low, high = bounds(schema)
    first = _INTEGERS.get(schema.get("format", ""))
    rules = ["scalar-types"]
    if first is None:
        small = low is not None and high is not None and _fits("int32", low, high)
        first = "int32" if small else plain
        rules += [] if small else [RULE_PLAIN]
    known = next((kind for kind in (first, "int64", "uint64") if _fits(kind, low, high)), None)
    return Shape(Kind.SCALAR, known, rules=tuple(rules)) if known else _DIGITS


def _fits(known: str, low: float | None, high: float | None) -> bool:
    least, greatest = _RANGES[known]
    return (low is None or low >= least) and (high is None or high <= greatest)


def bounds(schema: dict[str, Any]) -> tuple[float | None, float | None]:
    """The least and the greatest value of an integer, as far as its schema tells.

    OpenAPI 3.0 writes `exclusiveMaximum: true` beside `maximum`, OpenAPI 3.1 a bound of its own.
    """
    low, high = _number(schema.get("minimum")), _number(schema.get("maximum"))
    if low is not None and schema.get("exclusiveMinimum") is True:
        low += 1
    if high is not None and schema.get("exclusiveMaximum") is True:
        high -= 1
    above, under = _number(schema.get("exclusiveMinimum")), _number(schema.get("exclusiveMaximum"))
    lows = [value for value in (low, None if above is None else above + 1) if value is not None]
    highs = [value for value in (high, None if under is None else under - 1) if value is not None]
    return max(lows, default=None), min(highs, default=None)


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(max(-_HUGE, min(_HUGE, value)))


def _string(schema: dict[str, Any]) -> Shape:
    """Text, unless the schema says that the text stands for bytes, or that bytes stand in its place."""
    found = _BASE64.get(str(schema.get("contentEncoding", "")).lower())
    media = str(schema.get("contentMediaType", ""))
    if schema.get("format") in {"byte", "base64"}:
        found = found or "base64"
    elif schema.get("format") == "base64url":
        found = "base64url"
    elif schema.get("format") == "binary" or (media and not found and not media.startswith(_TEXT_MEDIA)):
        found = "raw"
    if found:
        return Shape(Kind.SCALAR, "bytes", encoding=found, rules=(RULE_BINARY,))
    return with_rule(STRING, RULE_TEXT) if schema.get("format") else STRING


def named(type_name: str) -> Shape:
    """The shape that `x-protobuf-data-type` names: a scalar, `bytes` for a JSON document, or a message."""
    if type_name == "bytes":
        return Shape(Kind.DOCUMENT, "bytes", rules=("vendor-type",))
    if type_name in SCALARS:
        return Shape(Kind.SCALAR, type_name, rules=("vendor-type",))
    if type_name == "ObjectMap":
        return Shape(Kind.OBJECT, rules=("vendor-type",))
    return Shape(Kind.MESSAGE, type_name, rules=("vendor-type",))
