"""Coverage: everything in scope that the result must account for, read off the pruned spec alone.

The list knows nothing of how anything is converted; after generation
`postprocess.coverage.gate` walks it side by side with
the contract and the compiled protos.
Sources: OpenAPI 3.1.0, sections 4.8.10 to 4.8.24; JSON Schema core 2020-12, sections 10 and 11.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.model.contract import Exclusion
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap, locate_child, make_map
from pipeline.model.rule import Rule
from pipeline.model.schema_facts import Constraint, Element, Kind, OperationFacts, SchemaFacts, ScopeFacts
from preprocess.document.constraint_facts import collect_constraints, collect_enum_strings, is_null, is_restriction
from preprocess.document.prune import Pruner
from preprocess.document.pruned_elements import collect_pruned_elements
from preprocess.document.references import parse_component_key
from preprocess.document.scope import Operation
from preprocess.document.subschemas import CONDITIONS

RULE_VENDOR_TYPE = Rule("vendor-type")
_HOLDING = frozenset(
    {"properties", "items", "prefixItems", "patternProperties", "additionalProperties", "unevaluatedProperties"}
)
_COMPOSING = frozenset({"allOf", "oneOf", "anyOf", *CONDITIONS})
_TYPE_KEYS = ("x-protobuf-data-type", "x-protobuf-type")
# Of which JSON type the keywords are that tell what is inside a value.
_OWN = {
    "additionalProperties": "object",
    "items": "array",
    "patternProperties": "object",
    "prefixItems": "array",
    "properties": "object",
    "unevaluatedProperties": "object",
}


def collect_schema_facts(
    operations: Iterable[Operation], pruner: Pruner, exclusions: Iterable[Exclusion], document: LocatedMap
) -> ScopeFacts:
    """Everything in scope.

    Args:
        operations: pruned.
        pruner: for the component schemas that these reach, pruned, and for what it left out.
        exclusions: what else is left out; all of it is accounted for as well.
        document: the spec; in OpenAPI 3.0 what stands beside a `$ref` does not count.
    """
    lister = _Lister(beside_references=not str(document.get("openapi", "")).startswith("3.0"))
    lister.found.operations = [lister.operation(operation) for operation in operations]
    lister.schemas(pruner.schemas, pruner.subtypes)
    found = lister.found
    found.elements += collect_pruned_elements(
        (*exclusions, *pruner.exclusions), {element.place for element in found.elements}
    )
    found.elements.sort(key=lambda item: (item.kind, item.place.pointer, item.name, item.group))
    return found


class _Lister:
    """Reads schemas and lists what is in them."""

    def __init__(self, *, beside_references: bool) -> None:
        self.beside_references = beside_references
        self.found = ScopeFacts()

    def schemas(self, schemas: dict[str, LocatedMap], subtypes: dict[str, tuple[str, ...]]) -> None:
        """The component schemas, and others that references lead to; those are elements where they stand."""
        for key, schema in sorted(schemas.items()):
            node = self.schema(schema)
            node.subtypes = tuple(
                SchemaFacts(node.place, ref=subtype) for subtype in subtypes.get(key, ()) if subtype in schemas
            )
            self.found.schemas[key] = node
            if not key.startswith("#/"):
                self.element(Kind.SCHEMA, key, node)

    def element(self, kind: Kind, name: str, node: SchemaFacts, group: str = "") -> SchemaFacts:
        self.found.elements.append(Element(kind, name, node.place, node, group))
        return node

    def operation(self, operation: Operation) -> OperationFacts:
        place = operation.node.place
        self.found.elements.append(Element(Kind.OPERATION, operation.group, place, None, operation.group))
        declared = OperationFacts(operation.group, place, existence=operation.method == "head")
        declared.parameters = [self.parameter(node, operation.group) for node in operation.parameters]
        if operation.body is not None:
            declared.bodies = self.contents(operation.body, Kind.BODY, "")
        for status, answer in operation.successful_responses.items() if not declared.existence else ():
            declared.responses += self.contents(answer, Kind.RESPONSE, f"{status} ")
            told = [(key, answer.get(key)) for key in ("headers", "links")]
            self.found.constraints += [
                Constraint(key, name, answer.place)
                for key, names in told
                if isinstance(names, LocatedMap)
                for name in names
            ]
        return declared

    def parameter(self, node: LocatedMap, group: str) -> SchemaFacts:
        keys = [key for key in ("required", "allowEmptyValue") if node.get(key) is True]
        return self.element(Kind.PARAMETER, str(node["name"]), self.holder(node, node["schema"], keys), group)

    def contents(self, holder: LocatedMap, kind: Kind, prefix: str) -> list[SchemaFacts]:
        """A body or answer: one for each schema among its media types."""
        keys = ["required"] if holder.get("required") is True else []
        found = []
        for media_type, media in holder["content"].items():
            node = self.holder(holder, media["schema"], keys)
            self.found.elements.append(Element(kind, prefix + media_type, media["schema"].place, node))
            found.append(node)
        return found

    def holder(self, node: LocatedMap, schema: LocatedMap, keys: list[str]) -> SchemaFacts:
        """What stands around a schema in an operation, with what it demands itself."""
        inside = self.schema(schema)
        constraints = tuple(Constraint(key, True, node.place) for key in keys)
        declared = SchemaFacts(node.place, members=(inside,), constraints=constraints)
        self.found.nodes.append(declared)
        return declared

    def inner(self, schema: Any, place: Place, *steps: str | int) -> SchemaFacts:
        """A schema some steps below a place, be it a boolean one, which has no place of its own."""
        if isinstance(schema, LocatedMap):
            return self.schema(schema)
        for step in steps:
            place = locate_child(place, step)
        return self.schema(make_map({} if schema else {"not": {}}, place))

    def schema(self, schema: LocatedMap) -> SchemaFacts:
        """One schema, and all that is inside it."""
        node = SchemaFacts(schema.place, str(schema.get("title", "")), constraints=tuple(collect_constraints(schema)))
        self.found.nodes.append(node)
        node.ref = parse_component_key(schema["$ref"]) if "$ref" in schema else ""
        if node.ref and not self.beside_references:
            return node
        if not node.ref:
            node.protobuf_type = next((schema[key] for key in _TYPE_KEYS if isinstance(schema.get(key), str)), "")
        kinds = _kinds(schema)
        if len(kinds) > 1:
            node.variants = tuple(self.one_type(schema, kind, kinds) for kind in kinds)
        else:
            node.types = frozenset(kinds)
            self.inside(node, schema)
        if not _COMPOSING.isdisjoint(schema):
            self.composition(node, schema)
        node.enum_strings = collect_enum_strings(schema)
        for text in node.enum_strings:
            self.element(Kind.ENUM_VALUE, "null" if text is None else text, node)
        return node

    def one_type(self, schema: LocatedMap, kind: str, kinds: list[str]) -> SchemaFacts:
        """One of the types of a schema that names several: what tells of the others is left out."""
        own = {key: value for key, value in schema.items() if _OWN.get(key, kind) == kind and key in _OWN}
        node = SchemaFacts(schema.place, types=frozenset({kind}))
        self.inside(node, make_map(own, schema.place))
        return self.element(Kind.VARIANT, f"{kind} of {', '.join(kinds)}", node)

    def inside(self, node: SchemaFacts, schema: LocatedMap) -> None:
        """The schemas of properties, items and values."""
        if _HOLDING.isdisjoint(schema):
            return
        place = schema.place
        properties = schema.get("properties")
        for name, value in properties.items() if isinstance(properties, LocatedMap) else ():
            node.properties[name] = self.element(Kind.PROPERTY, name, self.inner(value, place, name))
        if isinstance(schema.get("items"), LocatedMap):
            node.items = self.element(Kind.ITEM, "items", self.schema(schema["items"]))
        node.positions = tuple(
            self.element(Kind.ITEM, str(at), self.inner(item, place, "prefixItems", at))
            for at, item in enumerate(schema.get("prefixItems", []))
        )
        self.values(node, schema)

    def values(self, node: SchemaFacts, schema: LocatedMap) -> None:
        """The schemas of values under keys that are no properties."""
        found = dict(schema.get("patternProperties", {}))
        further = schema.get("additionalProperties", schema.get("unevaluatedProperties", False))
        if further is not False and (further is not True or "additionalProperties" in schema):
            found["additionalProperties"] = further
        listed = [
            self.element(Kind.VALUE, name, self.inner(value, schema.place, "additionalProperties"))
            for name, value in found.items()
        ]
        if len(listed) == 1:
            node.values = listed[0]
        elif listed:
            node.values = SchemaFacts(schema.place, variants=tuple(listed))

    def composition(self, node: SchemaFacts, schema: LocatedMap) -> None:
        """The members of allOf, the variants of oneOf and anyOf, and what holds under conditions."""
        node.members = tuple(self.inner(member, schema.place) for member in schema.get("allOf", []))
        for key in ("oneOf", "anyOf"):
            variants = tuple(self.variants(schema, key))
            if variants and node.variants:
                node.members = (*node.members, SchemaFacts(schema.place, variants=variants))
            elif variants:
                node.variants = variants
        conditions = [schema[key] for key in ("then", "else") if isinstance(schema.get(key), LocatedMap)]
        conditions += [value for value in schema.get("dependentSchemas", {}).values() if isinstance(value, LocatedMap)]
        node.conditions = tuple(self.schema(condition) for condition in conditions)

    def variants(self, schema: LocatedMap, key: str) -> Iterator[SchemaFacts]:
        """The variants of one union, without null and without what only restricts the whole."""
        for number, variant in enumerate(schema.get(key, []), start=1):
            if not is_null(variant) and not is_restriction(variant):
                node = self.inner(variant, schema.place, key, number - 1)
                yield self.element(Kind.VARIANT, _variant_name(variant, number), node)


def _kinds(schema: LocatedMap) -> list[str]:
    """The JSON types that a schema names; null only where it is the one."""
    kinds = schema.get("type")
    listed = kinds if isinstance(kinds, list) else [kinds] if isinstance(kinds, str) else []
    return [kind for kind in dict.fromkeys(listed) if kind != "null"] or listed[:1]


def _variant_name(variant: Any, number: int) -> str:
    """What diagnostics call a variant: its title, else what it refers to, else its number."""
    if not isinstance(variant, LocatedMap):
        return str(number)
    reference = str(variant.get("$ref", "")).rpartition("/")[2]
    return str(variant.get("title") or reference or number)
