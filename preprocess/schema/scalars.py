"""Convert JSON type, format and bounds to a protobuf scalar type.

Sources: OpenAPI 3.1.0, section 4.4 (data types); JSON Schema validation 2020-12, sections 6.2, 7.3 and 8; the OpenAPI
format registry; protobuf guide, scalar types.
"""

from __future__ import annotations

from typing import Any

from pipeline.model.contract import SCALARS, Rule
from pipeline.model.profile.profile import Conversion
from preprocess.document.schema_facts import RULE_VENDOR_TYPE
from preprocess.schema.shapes import GENERAL_NUMBER, STRING, Kind, Shape, add_rule

RULE_SCALAR = Rule("scalar-types")
RULE_BINARY = Rule("binary")
RULE_DIGITS = Rule("long-numbers")
RULE_PLAIN = Rule("plain-integer")
RULE_TEXT = Rule("text-formats")
SCALAR_TYPES = frozenset({"boolean", "integer", "number", "string"})
_DIGITS = Shape(Kind.SCALAR, "string", encoding="number", rules=(RULE_DIGITS,))
_OTHER_INTEGERS = {"int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32", "long": "int64"}
_INTEGERS = {**{name: name for name in ("int32", "int64", "uint32", "uint64")}, **_OTHER_INTEGERS}
_NUMBERS = {"float": "float", "double": "double", **_INTEGERS}
_LONG = frozenset({"bigint", "biginteger", "int128", "uint128", "int256", "uint256"})
_DECIMAL = frozenset({"decimal", "decimal128", "bigdecimal"})
# Some tools round 64-bit bounds to doubles. Comparing ranges and bounds as doubles makes the rounded bounds fit.
_RANGES = {
    "int32": (-(2.0**31), 2.0**31 - 1),
    "uint32": (0.0, 2.0**32 - 1),
    "int64": (-(2.0**63), 2.0**63),
    "uint64": (0.0, 2.0**64),
}
_HUGE = 1e300
_BASE64 = {"base64": "base64", "base64url": "base64url"}
_TEXT_MEDIA = ("text/", "application/json", "application/xml", "application/yaml")


def convert_scalar(json_type: str, schema: dict[str, Any], options: Conversion) -> Shape:
    """Return the shape of a schema of one of the `SCALAR_TYPES`."""
    if json_type == "boolean":
        return Shape(Kind.SCALAR, "bool", rules=(RULE_SCALAR,))
    if json_type == "integer":
        return _convert_integer(schema, options.plain_integer)
    if json_type == "string":
        return _convert_string(schema)
    if schema.get("format") in _DECIMAL:
        return _DIGITS
    scalar = _NUMBERS.get(schema.get("format", ""))
    return Shape(Kind.SCALAR, scalar, rules=(RULE_SCALAR,)) if scalar else GENERAL_NUMBER


def _convert_integer(schema: dict[str, Any], plain: str) -> Shape:
    """Return the first integer type that holds all values; a string of digits if 64 bits are not enough."""
    if schema.get("format") in _LONG:
        return _DIGITS
    low, high = read_bounds(schema)
    preferred = _INTEGERS.get(schema.get("format", ""))
    rules = [RULE_SCALAR]
    if preferred is None:
        small = low is not None and high is not None and _can_hold("int32", low, high)
        preferred = "int32" if small else plain
        rules += [] if small else [RULE_PLAIN]
    scalar = next((name for name in (preferred, "int64", "uint64") if _can_hold(name, low, high)), None)
    return Shape(Kind.SCALAR, scalar, rules=tuple(rules)) if scalar else _DIGITS


def _can_hold(scalar: str, low: float | None, high: float | None) -> bool:
    least, greatest = _RANGES[scalar]
    return (low is None or low >= least) and (high is None or high <= greatest)


def read_bounds(schema: dict[str, Any]) -> tuple[float | None, float | None]:
    """Return the least and the greatest value of an integer; None for a bound that the schema does not declare.

    OpenAPI 3.0 writes `exclusiveMaximum: true` beside `maximum`, OpenAPI 3.1 a number on its own.
    """
    low, high = _read_number(schema.get("minimum")), _read_number(schema.get("maximum"))
    if low is not None and schema.get("exclusiveMinimum") is True:
        low += 1
    if high is not None and schema.get("exclusiveMaximum") is True:
        high -= 1
    above, under = _read_number(schema.get("exclusiveMinimum")), _read_number(schema.get("exclusiveMaximum"))
    lows = [value for value in (low, None if above is None else above + 1) if value is not None]
    highs = [value for value in (high, None if under is None else under - 1) if value is not None]
    return max(lows, default=None), min(highs, default=None)


def _read_number(value: Any) -> float | None:
    """Return a bound as a double, limited to a huge one; None if it is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(max(-_HUGE, min(_HUGE, value)))


def _convert_string(schema: dict[str, Any]) -> Shape:
    """Return a string; bytes if the string encodes bytes, or if raw bytes replace it."""
    encoding = _BASE64.get(str(schema.get("contentEncoding", "")).lower())
    media_type = str(schema.get("contentMediaType", ""))
    if schema.get("format") in {"byte", "base64"}:
        encoding = encoding or "base64"
    elif schema.get("format") == "base64url":
        encoding = "base64url"
    elif schema.get("format") == "binary" or (media_type and not encoding and not media_type.startswith(_TEXT_MEDIA)):
        encoding = "raw"
    if encoding:
        return Shape(Kind.SCALAR, "bytes", encoding=encoding, rules=(RULE_BINARY,))
    return add_rule(STRING, RULE_TEXT) if schema.get("format") else STRING


def parse_type_name(type_name: str) -> Shape:
    """Return the shape that `x-protobuf-data-type` names: a scalar, `bytes` for a JSON document, or a message."""
    if type_name == "bytes":
        return Shape(Kind.DOCUMENT, "bytes", rules=(RULE_VENDOR_TYPE,))
    if type_name in SCALARS:
        return Shape(Kind.SCALAR, type_name, rules=(RULE_VENDOR_TYPE,))
    if type_name == "ObjectMap":
        return Shape(Kind.OBJECT, rules=(RULE_VENDOR_TYPE,))
    return Shape(Kind.MESSAGE, type_name, rules=(RULE_VENDOR_TYPE,))
