"""What mutations put into documents: keywords, values of wrong types, hostile texts, schemas, ways to go deeper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

# Every fixed field of OpenAPI 3.1 and keyword of JSON Schema 2020-12, and the extensions that the pipeline reads.
_KEYWORDS = """
openapi info title version paths components webhooks servers url tags security get put post delete options head patch
trace parameters requestBody responses callbacks operationId summary description deprecated name in required style
explode allowReserved allowEmptyValue schema content example examples headers links $ref schemas encoding contentType
default type format enum const items prefixItems properties patternProperties additionalProperties propertyNames
unevaluatedProperties unevaluatedItems allOf oneOf anyOf not if then else dependentSchemas dependentRequired contains
discriminator propertyName mapping nullable readOnly writeOnly xml externalDocs minimum maximum exclusiveMinimum
exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties
contentEncoding contentMediaType contentSchema $id $schema $anchor $dynamicRef $dynamicAnchor $defs $comment
externalValue x-operation-group x-version-added x-version-deprecated x-version-removed x-deprecation-message
x-ignorable x-overloaded-param x-protobuf-excluded x-protobuf-name x-protobuf-type x-protobuf-data-type
x-protobuf-required x-global x-proto-options x-proto-inline x-proto-spelling x-proto-base x-proto-excluded
x-proto-field-name swagger definitions consumes produces collectionFormat
"""
KEYWORDS = _KEYWORDS.split()

NUMBERS: list[Any] = [
    -1, 0, 1, 2**29 - 1, 2**29, 19_000, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 0.1, -0.0, 1e308, 5e-324,
]  # fmt: skip
WRONG: list[Any] = [
    None, True, False, "", " ", "text", "null", "*", [], {}, [None], [[]], [{}], {"": None}, {"a": 1}, {"$ref": 1},
    {"$ref": None}, ["string", "null"], ["text", "text"], [1, "1", True, None, 1.0], *NUMBERS,
]  # fmt: skip

HOSTILE: list[str] = [
    "", " ", ".", "..", "../../../etc/passwd", "/etc/passwd", "a/b", "a~1b", "a~b", "C:\\x", "\\", '"', "'", "`",
    "*/", "/*", "//", "// @end", "//@end", "\n//@end\n", "//@body", "\n//@message Evil evil.proto", "{{x}}",
    "{{{x}}}", "{{/models}}", "{{#models}}", "{{>field}}", "{{=<% %>=}}", "{% raw %}", "{{ 7*7 }}", "${x}", "$(id)",
    "`id`", "; id", "| id", "&& id", "-rf", "--help", "a|b", "| a | b |", "[a](javascript:x)", "<script>x</script>",
    "</details>", "<!--", "-->", "&lt;", "a\nb", "a\r\nb", "a\tb", "a\u0000b", "\u001b[31mred", "\u202eevil", "\u2028",
    "\u2066x\u2069", "\ufeff", "\u0085", "\u00e9", "e\u0301", "\u65e5\u672c\u8a9e", "\u0417\u0434\u0440", "\u0639",
    "\U0001f600", "\u0131", "\u212a", "\ufb01", "\u017f", "I\u0307", "x" * 5000, "1", "1.0", "1xx", "-1", "_", "__",
    "_id",
    "class", "message", "enum", "oneof", "package", "import", "syntax", "option", "rpc", "returns", "reserved", "true",
    "inf", "nan", "string", "int32", "bytes", "None", "self", "def", "type", "value", "descriptor", "DESCRIPTOR",
    "foo-bar", "foo_bar", "fooBar", "FooBar", "FOO_BAR", "foo.bar", "x_1", "sha_256", "UNSPECIFIED", "null", "NULL",
    "ObjectMap", "Value", "google", "google.protobuf.Any", "Empty", "Status", "body", "request", "response",
    "%00", "%2e%2e", "%", "%s", "%(x)s", "{", "}", "{}", "{x", "/{", "/{}", "/{a}{b}", "/{a.b}", "?x=1", "#", "#/",
]  # fmt: skip

REFERENCES: list[str] = [
    "", "#", "#/", "#/paths", "#/components", "#/components/schemas", "#/components/schemas/", "#/info/title",
    "#/components/schemas/None", "#anchor", "#/a/b/c/d", "#/components/schemas/%zz", "#/paths/~1", "#/openapi",
    "other.yaml", "other.yaml#/a", "/etc/passwd", "file:///etc/passwd", "http://127.0.0.1:9/x", "https://x.invalid/y",
    "../x.json", "urn:x", "jar:file:/x!/y", "//127.0.0.1:9/x", "#/paths/~1x/get/responses/200",
]  # fmt: skip

_TEXT, _OBJECT = {"type": "string"}, {"type": "object"}
SCHEMAS: list[Any] = [
    {}, {"type": "object"}, {"type": "array"}, {"type": ["string", "null"]}, {"type": ["object", "array", "null"]},
    {"type": []}, {"type": "null"}, {"type": "integer", "format": "int128"}, {"type": "file"},
    {"type": "integer", "minimum": 2**63, "maximum": -(2**63)}, {"type": "number", "minimum": 1e400},
    {"nullable": True}, {"readOnly": True, "writeOnly": True}, {"deprecated": True}, {"const": None}, {"const": {}},
    {"const": "\n"}, {"enum": []}, {"enum": [None]}, {"enum": ["a", "A", "a ", "", None, 1, True, {}, []]},
    {"enum": [0.5, 1]}, {"enum": ["UNSPECIFIED", "unspecified"]}, {"allOf": []}, {"allOf": [{}]}, {"oneOf": []},
    {"anyOf": [{}, {}]}, {"oneOf": [_TEXT, {"type": "array", "items": _TEXT}]}, {"oneOf": [_OBJECT, _OBJECT, _TEXT]},
    {"oneOf": [{"type": "null"}]}, {"anyOf": [{"type": "null"}, {"type": "null"}]}, {"not": {}}, {"if": {}, "then": {}},
    {"allOf": [_TEXT, _OBJECT]}, {"allOf": [{"required": ["a"]}], "oneOf": [{"required": ["b"]}]},
    {"additionalProperties": False}, {"additionalProperties": True}, {"additionalProperties": {}},
    {"additionalProperties": {"type": "array", "items": {"type": "array", "items": _TEXT}}},
    {"propertyNames": {"enum": ["a", "b"]}}, {"patternProperties": {"^x": _TEXT, "(": _TEXT}},
    {"prefixItems": [_TEXT, _OBJECT]}, {"prefixItems": [], "items": False}, {"items": {}}, {"items": False},
    {"items": True}, {"items": [_TEXT]}, {"properties": {}}, {"properties": {"a": True, "b": False, "c": {}}},
    {"properties": {"a": {}, "A": {}, "_a": {}, "a_": {}, "a-": {}, "a.": {}}}, {"required": ["nowhere", "nowhere"]},
    {"minProperties": 1, "maxProperties": 1, "additionalProperties": _OBJECT},
    {"discriminator": {"propertyName": "kind"}, "oneOf": [_OBJECT, _OBJECT]},
    {"discriminator": {"propertyName": "kind", "mapping": {"a": "other.yaml", "b": "#/components/schemas/None"}}},
    {"type": "string", "format": "binary"}, {"type": "string", "format": "byte", "contentEncoding": "base64"},
    {"x-protobuf-type": "int32"}, {"x-protobuf-name": "1 bad name"}, {"x-protobuf-excluded": True},
    {"x-version-added": "99.0"}, {"x-version-removed": "0.1"}, {"x-version-added": "not a version"},
    {"$ref": "#/components/schemas/None"}, {"$dynamicRef": "#x"}, {"$id": "http://127.0.0.1:9/x", "$anchor": "x"},
    True, False,
]  # fmt: skip

DEEP: list[Callable[[Any], Any]] = [
    lambda item: {"type": "array", "items": item},
    lambda item: {"allOf": [item]},
    lambda item: {"oneOf": [item, {"type": "string"}]},
    lambda item: {"anyOf": [{"type": "null"}, item]},
    lambda item: {"type": "object", "properties": {"inner": item}},
    lambda item: {"type": "object", "additionalProperties": item},
    lambda item: {"not": item},
    lambda item: {"prefixItems": [item]},
]
# What stands in these stands twice, so a few levels make a large document.
WIDE: list[Callable[[Any], Any]] = [
    lambda item: {"type": "object", "required": ["inner"], "properties": {"inner": item}, "oneOf": [item, {}]},
    lambda item: {"allOf": [item], "anyOf": [item]},
    lambda item: {"oneOf": [{"title": "one", "items": item}, {"title": "other", "properties": {"inner": item}}]},
]
