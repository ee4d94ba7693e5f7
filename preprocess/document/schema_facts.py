"""Collect the facts of everything in scope from the pruned specification, without looking at the conversion.

After generation `postprocess.coverage.gate` compares these facts with the contract and the compiled protos.
Sources: OpenAPI 3.1.0, sections 4.8.10 to 4.8.24; JSON Schema core 2020-12, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any

from pipeline.model.contract import Exclusion, Rule
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap, locate_child, make_map, unescape_token
from pipeline.model.schema_facts import Constraint, Element, Kind, OperationFacts, SchemaFacts, ScopeFacts
from preprocess.document import constraint_facts
from preprocess.document.openapi import METHODS
from preprocess.document.prune import Pruner
from preprocess.document.references import parse_component_key
from preprocess.document.scope import Operation
from preprocess.document.subschemas import CONDITIONS, iterate_conditional

RULE_VENDOR_TYPE = Rule("vendor-type")
# The keywords that describe the content of a value, with the JSON type that they apply to.
_CONTENT_TYPES = dict.fromkeys(("items", "prefixItems"), "array") | dict.fromkeys(
    ("additionalProperties", "patternProperties", "properties", "unevaluatedProperties"), "object"
)
# The kind of a pruned element, by the parent key and by the last key of its JSON pointer.
_BY_PARENT = {
    **dict.fromkeys(("anyOf", "oneOf"), Kind.VARIANT),
    **dict.fromkeys(("callbacks", "webhooks"), Kind.OPERATION),
    "parameters": Kind.PARAMETER,
    "properties": Kind.PROPERTY,
    "requestBodies": Kind.BODY,
    "patternProperties": Kind.VALUE,
    "prefixItems": Kind.ITEM,
    "responses": Kind.RESPONSE,
    "schemas": Kind.SCHEMA,
}
_BY_KEY = {"additionalProperties": Kind.VALUE, "items": Kind.ITEM, "requestBody": Kind.BODY} | dict.fromkeys(
    METHODS, Kind.OPERATION
)
_COMPOSING = frozenset({"allOf", "oneOf", "anyOf", *CONDITIONS})


def collect_schema_facts(
    operations: Iterable[Operation], pruner: Pruner, exclusions: Iterable[Exclusion], document: LocatedMap
) -> ScopeFacts:
    """Return the facts of pruned operations and of the component schemas that they reach.

    Each exclusion, also of the pruner, becomes an element. In OpenAPI 3.0 the siblings of a `$ref` have no effect.
    """
    collector = _Collector(reads_siblings=not str(document.get("openapi", "")).startswith("3.0"))
    facts = collector.facts
    facts.operations = [collector.collect_operation(operation) for operation in operations]
    collector.collect_components(pruner.schemas, pruner.subtypes)
    places = {element.place for element in facts.elements}
    facts.elements += collect_pruned_elements((*exclusions, *pruner.exclusions), places)
    facts.elements.sort(key=lambda item: (item.kind, item.place.pointer, item.name, item.group))
    return facts


class _Collector:
    """Collects facts of operations and schemas; `reads_siblings` if the siblings of a `$ref` count."""

    def __init__(self, *, reads_siblings: bool) -> None:
        self.reads_siblings = reads_siblings
        self.facts = ScopeFacts()

    def collect_components(self, schemas: dict[str, LocatedMap], subtypes: dict[str, tuple[str, ...]]) -> None:
        """Collect the component schemas, and other referenced schemas, which are elements of their own."""
        for key, schema in sorted(schemas.items()):
            node = self.collect_schema(schema)
            names = [name for name in subtypes.get(key, ()) if name in schemas]
            node.subtypes = tuple(SchemaFacts(node.place, ref=name) for name in names)
            self.facts.schemas[key] = node
            if not key.startswith("#/"):
                self.add_element(Kind.SCHEMA, key, node)

    def add_element(self, kind: Kind, name: str, node: SchemaFacts, group: str = "") -> SchemaFacts:
        self.facts.elements.append(Element(kind, name, node.place, node, group))
        return node

    def collect_operation(self, operation: Operation) -> OperationFacts:
        place = operation.node.place
        self.facts.elements.append(Element(Kind.OPERATION, operation.group, place, None, operation.group))
        facts = OperationFacts(operation.group, place, existence=operation.method == "head")
        facts.parameters = [self.collect_parameter(node, operation.group) for node in operation.parameters]
        if operation.body is not None:
            facts.bodies = self.collect_content(operation.body, Kind.BODY, "")
        for status, response in operation.successful_responses.items() if not facts.existence else ():
            facts.responses += self.collect_content(response, Kind.RESPONSE, f"{status} ")
            self.facts.constraints += [
                Constraint(key, name, response.place)
                for key in ("headers", "links")
                if isinstance(response.get(key), LocatedMap)
                for name in response[key]
            ]
        return facts

    def collect_parameter(self, node: LocatedMap, group: str) -> SchemaFacts:
        keys = [key for key in ("required", "allowEmptyValue") if node.get(key) is True]
        return self.add_element(Kind.PARAMETER, str(node["name"]), self.wrap_schema(node, node["schema"], keys), group)

    def collect_content(self, holder: LocatedMap, kind: Kind, prefix: str) -> list[SchemaFacts]:
        keys = ["required"] if holder.get("required") is True else []
        contents = []
        for media_type, media in holder["content"].items():
            node = self.wrap_schema(holder, media["schema"], keys)
            self.facts.elements.append(Element(kind, prefix + media_type, media["schema"].place, node))
            contents.append(node)
        return contents

    def wrap_schema(self, node: LocatedMap, schema: LocatedMap, keys: list[str]) -> SchemaFacts:
        """Return the facts of a parameter, body or response: its schema as a member, and its own constraints."""
        member = self.collect_schema(schema)
        constraints = tuple(Constraint(key, True, node.place) for key in keys)
        facts = SchemaFacts(node.place, members=(member,), constraints=constraints)
        self.facts.nodes.append(facts)
        return facts

    def collect_child(self, schema: Any, place: Place, *steps: str | int) -> SchemaFacts:
        """Collect a schema below a place; a boolean schema, which has no position, gets that of the path `steps`."""
        if isinstance(schema, LocatedMap):
            return self.collect_schema(schema)
        for step in steps:
            place = locate_child(place, step)
        return self.collect_schema(make_map({} if schema else {"not": {}}, place))

    def collect_schema(self, schema: LocatedMap) -> SchemaFacts:
        constraints = tuple(constraint_facts.collect_constraints(schema))
        node = SchemaFacts(schema.place, str(schema.get("title", "")), constraints=constraints)
        self.facts.nodes.append(node)
        node.ref = parse_component_key(schema["$ref"]) if "$ref" in schema else ""
        if node.ref and not self.reads_siblings:
            return node
        if not node.ref:
            vendor_types = (schema.get(key) for key in constraint_facts.VENDOR_TYPES)
            node.protobuf_type = next((name for name in vendor_types if isinstance(name, str)), "")
        types = _list_types(schema)
        if len(types) > 1:
            node.variants = tuple(self.collect_one_type(schema, name, types) for name in types)
        else:
            node.types = frozenset(types)
            self.add_content(node, schema)
        if not _COMPOSING.isdisjoint(schema):
            self.add_composition(node, schema)
        node.enum_strings = constraint_facts.collect_enum_strings(schema)
        for text in node.enum_strings:
            self.add_element(Kind.ENUM_VALUE, "null" if text is None else text, node)
        return node

    def collect_one_type(self, schema: LocatedMap, name: str, types: list[str]) -> SchemaFacts:
        """Return the facts of one type of a schema with several types, without the content of the others."""
        content = {key: value for key, value in schema.items() if _CONTENT_TYPES.get(key) == name}
        node = SchemaFacts(schema.place, types=frozenset({name}))
        self.add_content(node, make_map(content, schema.place))
        return self.add_element(Kind.VARIANT, f"{name} of {', '.join(types)}", node)

    def add_content(self, node: SchemaFacts, schema: LocatedMap) -> None:
        if _CONTENT_TYPES.keys().isdisjoint(schema):
            return
        place = schema.place
        properties = schema.get("properties")
        for name, value in properties.items() if isinstance(properties, LocatedMap) else ():
            node.properties[name] = self.add_element(Kind.PROPERTY, name, self.collect_child(value, place, name))
        if isinstance(schema.get("items"), LocatedMap):
            node.items = self.add_element(Kind.ITEM, "items", self.collect_schema(schema["items"]))
        node.positions = tuple(
            self.add_element(Kind.ITEM, str(index), self.collect_child(item, place, "prefixItems", index))
            for index, item in enumerate(schema.get("prefixItems", []))
        )
        self.add_values(node, schema)

    def add_values(self, node: SchemaFacts, schema: LocatedMap) -> None:
        schemas = dict(schema.get("patternProperties", {}))
        additional = schema.get("additionalProperties", schema.get("unevaluatedProperties", False))
        if additional is not False and (additional is not True or "additionalProperties" in schema):
            schemas["additionalProperties"] = additional
        values = [
            self.add_element(Kind.VALUE, name, self.collect_child(value, schema.place, "additionalProperties"))
            for name, value in schemas.items()
        ]
        if len(values) == 1:
            node.values = values[0]
        elif values:
            node.values = SchemaFacts(schema.place, variants=tuple(values))

    def add_composition(self, node: SchemaFacts, schema: LocatedMap) -> None:
        """Add the members of `allOf`, the variants of unions, and conditional schemas."""
        node.members = tuple(self.collect_child(member, schema.place) for member in schema.get("allOf", []))
        for key in ("oneOf", "anyOf"):
            variants = tuple(self.collect_variants(schema, key))
            if variants and node.variants:
                node.members = (*node.members, SchemaFacts(schema.place, variants=variants))
            elif variants:
                node.variants = variants
        node.conditions = tuple(self.collect_schema(condition) for condition in iterate_conditional(schema))

    def collect_variants(self, schema: LocatedMap, key: str) -> Iterator[SchemaFacts]:
        """Yield the variants of a union, without null and without variants that only add constraints."""
        for number, variant in enumerate(schema.get(key, []), start=1):
            if not constraint_facts.is_null(variant) and not constraint_facts.is_restriction(variant):
                node = self.collect_child(variant, schema.place, key, number - 1)
                yield self.add_element(Kind.VARIANT, _name_variant(variant, number), node)


def _list_types(schema: LocatedMap) -> list[str]:
    """Return the JSON types of a schema; null only if it is the first and there is no other."""
    types = schema.get("type")
    names = types if isinstance(types, list) else [types] if isinstance(types, str) else []
    return [name for name in dict.fromkeys(names) if name != "null"] or names[:1]


def _name_variant(variant: Any, number: int) -> str:
    if not isinstance(variant, LocatedMap):
        return str(number)
    reference = str(variant.get("$ref", "")).rpartition("/")[2]
    return str(variant.get("title") or reference or number)


def collect_pruned_elements(exclusions: Iterable[Exclusion], places: Container[object]) -> Iterator[Element]:
    """Yield an element for each exclusion, except at the given places. Members of `allOf` are no elements."""
    for place in dict.fromkeys(exclusion.place for exclusion in exclusions):
        *_, parent, key = ("", *place.pointer.split("/"))
        kind = _BY_PARENT.get(parent) or _BY_KEY.get(key)
        if kind is not None and place not in places:
            yield Element(kind, unescape_token(key), place)
