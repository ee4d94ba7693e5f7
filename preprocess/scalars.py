"""The one table of types: JSON schema type and format → protobuf scalar.

Sources: OpenAPI 3.1.0, section 4.4 (data types); JSON Schema validation 2020-12, section 7.3;
protobuf guide, scalar types.
"""

from __future__ import annotations

from typing import Any

from pipeline.model.contract import SCALARS
from preprocess.shapes import GENERAL_NUMBER, STRING, Kind, Shape

_INTEGERS = {
    "int32": "int32",
    "int64": "int64",
    "uint32": "uint32",
    "uint64": "uint64",
    "int16": "int32",
    "int8": "int32",
}
_NUMBERS = {"float": "float", "double": "double", **_INTEGERS}
_INT32 = 2**31


def scalar(type_name: str, schema: dict[str, Any]) -> Shape:
    """The shape of a schema of one scalar type.

    Args:
        type_name: boolean, integer, number or string.
        schema: for its `format`, `minimum` and `maximum`.
    """
    if type_name == "boolean":
        return Shape(Kind.SCALAR, "bool", rules=("scalar-types",))
    if type_name == "integer":
        return Shape(Kind.SCALAR, _integer(schema), rules=("scalar-types",))
    if type_name == "number":
        known = _NUMBERS.get(schema.get("format", ""))
        return Shape(Kind.SCALAR, known, rules=("scalar-types",)) if known else GENERAL_NUMBER
    return STRING


def _integer(schema: dict[str, Any]) -> str:
    if schema.get("format") in _INTEGERS:
        return _INTEGERS[schema["format"]]
    low, high = schema.get("minimum"), schema.get("maximum")
    outside = [bound for bound in (low, high) if isinstance(bound, int) and not -_INT32 <= bound < _INT32]
    if not outside:
        return "int32"
    return "uint64" if isinstance(high, int) and high >= 2 * _INT32**2 else "int64"


def named(type_name: str) -> Shape:
    """The shape that `x-protobuf-data-type` names: a scalar, `bytes` for a JSON document, or a message."""
    if type_name == "bytes":
        return Shape(Kind.DOCUMENT, "bytes", rules=("vendor-type",))
    if type_name in SCALARS:
        return Shape(Kind.SCALAR, type_name, rules=("vendor-type",))
    if type_name == "ObjectMap":
        return Shape(Kind.OBJECT, rules=("vendor-type",))
    return Shape(Kind.MESSAGE, type_name, rules=("vendor-type",))
