"""JSON values of the schemas of a specification, as a hypothesis draws them: the schemas alone decide, read here anew.

Sources: JSON Schema core and validation 2020-12; OpenAPI 3.1.0, sections 4.8.12 (parameters) and 4.8.24 (schemas).
"""

from __future__ import annotations

import base64
import json
import math
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from hypothesis import strategies as st

Schema = dict[str, Any] | bool
DEEP = 5
_ALL = ["null", "boolean", "integer", "number", "string", "array", "object"]
_TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=5)
_KEYS = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=3)
_RANGES = {"int32": 2**31, "int64": 2**63}
_NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
_FLOATS = st.floats(min_value=-1e38, max_value=1e38)
_NAMED = {"int32": "integer", "int64": "integer", "bool": "boolean", "float": "number", "double": "number"}
_OBJECT = {"properties", "additionalProperties", "required", "propertyNames", "minProperties"}


class Values:
    """Draws values of the schemas of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._heights: dict[str, float] = {}
        self._known: dict[int, float] = {}
        self._merged: dict[int, dict[str, Any]] = {}

    def resolved(self, node: Any) -> Any:
        """What a reference leads to."""
        while isinstance(node, dict) and "$ref" in node:
            found: Any = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                found = found[part.replace("~1", "/").replace("~0", "~")]
            node = found
        return node

    @cached_property
    def heights(self) -> dict[str, float]:
        """How deep the least value of each component schema is."""
        schemas = self.document["components"]["schemas"]
        self._heights = dict.fromkeys(schemas, math.inf)
        changed = True
        while changed:
            made = {name: self.height(schema) for name, schema in schemas.items()}
            changed = made != self._heights
            self._heights = made
        return self._heights

    def height_of(self, schema: Schema) -> float:
        """The same, once all are known; the document keeps its schemas, so that each has an identity."""
        if id(schema) not in self._known:
            _ = self.heights
            self._known[id(schema)] = self.height(schema)
        return self._known[id(schema)]

    def height(self, schema: Schema) -> float:
        """How deep the least value of a schema is."""
        if isinstance(schema, bool):
            return 0
        if "$ref" in schema:
            return self._heights[schema["$ref"].rpartition("/")[2]]
        found = [self.height(member) for member in schema.get("allOf", [])]
        found += [min(map(self.height, schema[key])) for key in ("oneOf", "anyOf") if schema.get(key)]
        properties = schema.get("properties", {})
        inner = [1 + self.height(properties.get(name, True)) for name in schema.get("required", [])]
        if schema.get("minProperties") and properties:
            inner.append(1 + min(map(self.height, properties.values())))
        inner += [1 + self.height(each) for each in schema.get("prefixItems", [])]
        return max([0, *found, *inner])

    def draw(self, data: st.DataObject, schema: Schema, depth: int = DEEP) -> Any:
        """A value of a schema.

        Args:
            data: draws.
            schema: as the document has it.
            depth: how deep it may be; what must be there goes deeper.
        """
        schema = self.resolved(schema)
        if schema is True or schema == {}:
            return self.anything(data, depth)
        whole = self.merged(schema)
        if whole.get("x-protobuf-data-type") in _NAMED:
            name = whole["x-protobuf-data-type"]
            return data.draw(scalar(_NAMED[name], name))
        if "const" in whole:
            return whole["const"]
        if whole.get("enum"):
            return data.draw(st.sampled_from(whole["enum"]))
        if whole["variants"]:
            return self.variant(data, whole, depth)
        return self.typed(data, whole, depth)

    def merged(self, schema: Schema) -> dict[str, Any]:
        """A schema with the members of its allOf in it; its alternatives stand under `variants`, a list of lists."""
        schema = self.resolved(schema)
        if isinstance(schema, bool):
            return {"variants": []}
        if id(schema) not in self._merged:
            self._merged[id(schema)] = self._whole(schema)
        return self._merged[id(schema)]

    def _whole(self, schema: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {"variants": [], "properties": {}, "required": []}
        own = {key: value for key, value in schema.items() if key != "allOf"}
        for part in (*map(self.merged, schema.get("allOf", [])), own):
            found["properties"] |= part.get("properties", {})
            found["required"] += [name for name in part.get("required", []) if name not in found["required"]]
            found["variants"] += part.get("variants", [])
            found["variants"] += [part[key] for key in ("oneOf", "anyOf") if part.get(key)]
            kept = {"properties", "required", "variants", "oneOf", "anyOf", "allOf"}
            found |= {key: value for key, value in part.items() if key not in kept}
        return found

    def variant(self, data: st.DataObject, whole: dict[str, Any], depth: int) -> Any:
        """A value of one of the alternatives, with the properties beside them."""
        found: Any = {}
        for variants in whole["variants"]:
            chosen = data.draw(st.sampled_from(list(self.fitting(variants, depth))))
            value = self.draw(data, chosen, depth)
            whole = self.without(whole, variants, chosen)
            found = found | value if isinstance(found, dict) and isinstance(value, dict) else value
        own = bool(whole["properties"]) or "additionalProperties" in whole
        return {**found, **self.object(data, whole, depth)} if own and isinstance(found, dict) else found

    def without(self, whole: dict[str, Any], variants: list[Schema], chosen: Schema) -> dict[str, Any]:
        """The schema without optional properties that only other alternatives require: a value is one of them."""
        others = {name for each in variants for name in self.merged(each).get("required", [])}
        kept = self.merged(chosen).get("properties", {}).keys() | set(whole["required"])
        left = {name: schema for name, schema in whole["properties"].items() if name in kept or name not in others}
        return whole | {"properties": left}

    def fitting(self, variants: list[Schema], depth: int) -> Iterator[Schema]:
        """The alternatives that are not too deep; the least ones where all are."""
        heights = [self.height_of(each) for each in variants]
        most = max(depth, min(heights))
        yield from (each for each, height in zip(variants, heights, strict=True) if height <= most)

    def typed(self, data: st.DataObject, whole: dict[str, Any], depth: int) -> Any:
        kinds = whole.get("type") or ("object" if self.is_object(whole) else "array" if "items" in whole else _ALL)
        kinds = [kinds] if isinstance(kinds, str) else list(kinds)
        if whole.get("nullable") and "null" not in kinds:
            kinds.append("null")
        kind = data.draw(st.sampled_from(kinds)) if len(kinds) > 1 else kinds[0]
        if kind == "object":
            return self.object(data, whole, depth)
        if kind == "array":
            return self.array(data, whole, depth)
        return data.draw(limited(kind, whole))

    def is_object(self, whole: dict[str, Any]) -> bool:
        return bool(whole["properties"] or whole["required"] or _OBJECT & (whole.keys() - {"properties", "required"}))

    def object(self, data: st.DataObject, whole: dict[str, Any], depth: int) -> dict[str, Any]:
        properties = {name: schema for name, schema in whole["properties"].items() if schema is not False}
        names = [name for name in whole["required"] if name in properties]
        least, most = whole.get("minProperties", 0), whole.get("maxProperties", len(properties))
        optional = sorted(properties.keys() - set(names))
        shallow = [name for name in optional if 1 + self.height_of(properties[name]) <= max(depth, 1)] or optional[:1]
        if shallow and most > len(names) and (depth > 0 or least > len(names)):
            least, most = max(0, least - len(names)), min(most - len(names), 4)
            names += data.draw(
                st.lists(st.sampled_from(shallow), min_size=least, max_size=max(most, least), unique=True)
            )
        found = {name: self.draw(data, properties[name], depth - 1) for name in names}
        further = whole.get("additionalProperties", whole.get("unevaluatedProperties", False))
        wanted = whole.get("minProperties", 0)
        if further is not False and (depth > 0 or len(found) < wanted) and most != 0:
            keys = st.lists(_KEYS, min_size=max(0, wanted - len(found)), max_size=max(1, wanted), unique=True)
            limit = whole.get("maxProperties", len(found) + 2) - len(found)
            names = [name for name in data.draw(keys) if name not in whole["properties"]][:limit]
            found |= {name: self.draw(data, further, depth - 1) for name in names}
        return found

    def array(self, data: st.DataObject, whole: dict[str, Any], depth: int) -> list[Any]:
        first = [self.draw(data, each, depth - 1) for each in whole.get("prefixItems", [])]
        items = whole.get("items", not first)
        least = max(0, whole.get("minItems", 0) - len(first))
        most = min(whole.get("maxItems", 9) - len(first), max(least, 2 if depth > 0 else 0))
        if items is False or most <= 0:
            return first
        count = data.draw(st.integers(least, max(most, least)))
        return first + [self.draw(data, items, depth - 1) for _ in range(count)]

    def anything(self, data: st.DataObject, depth: int) -> Any:
        inner = _TEXTS | st.booleans() | st.integers(-(2**63), 2**63 - 1) | _NUMBERS
        return data.draw(
            inner | st.lists(inner, max_size=2) | st.dictionaries(_KEYS, inner, max_size=2) if depth > 0 else inner
        )

    def texts(self, data: st.DataObject, schema: Schema) -> list[str]:
        """The text of a parameter's value, if it is one that a URL can hold; a list has an item at least."""
        whole = self.merged(schema)
        if whole.get("type") == "array":
            value = [self.draw(data, whole.get("items", True), 1)]
        else:
            value = self.draw(data, schema, 1)
        listed = value if isinstance(value, list) else [value]
        listed = [each for each in listed if each is not None and not isinstance(each, dict)]
        parts = [each if isinstance(each, str) else json.dumps(each) for each in listed]
        text = ",".join(parts)
        return [text] if text.strip("/. ") else []


def limited(kind: str, whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """The values of a scalar type that keep within what the schema demands beside it."""
    form = str(whole.get("format", whole.get("contentEncoding", "")))
    if kind == "string" and "pattern" in whole:
        ended = whole["pattern"].replace("$", r"\Z")  # in ECMA 262 it is the very end, and digits are ASCII
        return st.from_regex(re.compile(ended, re.ASCII), alphabet=st.characters(codec="utf-8"))
    low, high = whole.get("minimum"), whole.get("maximum")
    if kind == "integer" and (low is not None or high is not None):
        limit = _RANGES.get(form, 2**31)
        return st.integers(-limit if low is None else math.ceil(low), limit - 1 if high is None else math.floor(high))
    if kind == "number" and (low is not None or high is not None):
        return st.floats(low, high, allow_nan=False, allow_infinity=False)
    return scalar(kind, form)


def scalar(kind: str, form: str) -> st.SearchStrategy[Any]:
    """The values of a scalar type of JSON Schema."""
    if kind == "integer":
        limit = _RANGES.get(form, 2**31)
        return st.integers(0, 2**64 - 1) if form == "uint64" else st.integers(-limit, limit - 1)
    if kind == "number":
        return _FLOATS if form == "float" else _NUMBERS
    if kind == "string":
        if form in {"byte", "base64"}:
            return st.binary(max_size=4).map(lambda content: base64.b64encode(content).decode())
        return _TEXTS
    return st.none() if kind == "null" else st.booleans()
