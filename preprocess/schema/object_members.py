"""Collect the members of an object: its properties, spread variants and additional properties, from its composition.

Sources: JSON Schema core 2020-12, sections 10.2.1 (allOf, anyOf, oneOf), 10.2.2 (conditions) and 10.3.2.1 (properties).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.model.contract import Exclusion, Rule
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap, escape_token, make_list, make_map
from pipeline.model.json_encoding import Tag
from pipeline.model.source import FieldSource
from preprocess.document.prune import EXCLUDED
from preprocess.document.references import SCHEMAS, parse_component_key
from preprocess.document.subschemas import get_additional_schema, iterate_conditional
from preprocess.naming.hints import NameHint
from preprocess.schema import discriminator
from preprocess.schema.all_of import RULE_ALL_OF, is_object, merge_schemas, resolve_refs
from preprocess.schema.context import Context
from preprocess.schema.union_variants import RULE_ANY_OF, choose_labels

RULE_PROPERTY_ONEOF = Rule("property-oneof")
RULE_UNION_OF_PROPERTIES = Rule("union-of-properties")
RULE_VARIANT = Rule("variant-beside-properties")
RULE_CONDITION = Rule("conditional")
# Keywords of a variant that only constrain the object around it.
_CONSTRAINTS = {"required", "not", "title", "description", "type", "minProperties", "maxProperties"}
# Schemas that refer to each other in many ways can reach one component along 10^12 paths.
_MAX_VISITS = 4


@dataclass(slots=True)
class Property:
    """A property of an object.

    Attributes:
        group: the number of the oneof that it belongs to, 0 for none.
        is_alone: whether the oneof stands for `maxProperties: 1` of the schema that declares it.
    """

    name: str
    schema: LocatedMap
    hint: NameHint
    places: tuple[Place, ...]
    group: int = 0
    rules: tuple[Rule, ...] = ()
    is_alone: bool = False


class SpreadVariant(NamedTuple):
    """A variant of a union whose properties are keys of the object itself; `group` as for a `Property`."""

    schema: LocatedMap
    hint: NameHint
    group: int
    tags: tuple[Tag, ...] = ()


class AdditionalProperties(NamedTuple):
    """The schema for the values of all keys that are no properties, and the hint of the object that declares it."""

    schema: Any
    place: Place
    hint: NameHint


@dataclass(slots=True)
class ObjectMembers:
    """The members of an object.

    Attributes:
        spreads: the variants whose properties are keys of the object.
        additional: the schema of all other keys; None if the schema declares none.
        has_patterns: whether the other keys have to match patterns.
        excluded: the properties that a rule excluded.
        conditions: the schemas that apply under a condition, with their hints.
        owner: the `$ref` of the object itself; a union with this variant lists the object's subtypes.
        visits: how often each component was added, by key.
    """

    properties: dict[str, Property] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    spreads: list[SpreadVariant] = field(default_factory=list)
    additional: AdditionalProperties | None = None
    has_patterns: bool = False
    excluded: list[tuple[FieldSource, Exclusion]] = field(default_factory=list)
    conditions: list[tuple[LocatedMap, NameHint]] = field(default_factory=list)
    groups: int = 0
    owner: str = ""
    visits: Counter[str] = field(default_factory=Counter)

    def add_group(self) -> int:
        """Return the number of a new oneof."""
        self.groups += 1
        return self.groups


def find_single_property(schema: LocatedMap) -> str | None:
    """Return the name of the only property of an inline object without composition; None for any other schema."""
    properties = schema.get("properties")
    if not isinstance(properties, LocatedMap) or len(properties) != 1:
        return None
    composed = set(schema) & {"allOf", "oneOf", "anyOf", "$ref"}
    return None if composed else str(next(iter(properties)))


def collect_property_names(context: Context, schema: LocatedMap) -> set[str]:
    """Return the names of all properties of an object, through references and `allOf`."""
    names: set[str] = set()
    waiting, visited = [schema], set()
    while waiting:
        node = resolve_refs(context, waiting.pop())
        if id(node) not in visited:
            visited.add(id(node))
            names |= node.get("properties", {}).keys()
            waiting += node.get("allOf", [])
    return names


def collect_members(context: Context, schema: LocatedMap, hint: NameHint) -> ObjectMembers:
    """Return the members of an object, including those that apply only under a condition."""
    members = ObjectMembers(owner=SCHEMAS + escape_token(hint.source.text))
    _add_schema(context, members, schema, hint)
    _add_conditional_properties(context, members)
    return members


def _add_schema(
    context: Context, members: ObjectMembers, schema: LocatedMap, hint: NameHint, open_keys: tuple[str, ...] = ()
) -> None:
    """Add the members of one schema of a composition; `open_keys` are the references being followed."""
    if "$ref" in schema:
        key = parse_component_key(schema["$ref"])
        target = context.schemas.get(key)
        members.visits[key] += 1
        if target is not None and key not in open_keys and members.visits[key] <= _MAX_VISITS:
            _add_schema(context, members, target, context.derive_hint(key), (*open_keys, key))
        return
    for member in schema.get("allOf", []):
        _add_schema(context, members, member, hint, open_keys)
    at_most_one = schema.get("maxProperties") == 1 and "additionalProperties" not in schema
    group = members.add_group() if at_most_one and schema.get("properties") else 0
    rules = (RULE_PROPERTY_ONEOF,) if group else ()
    for name, value in schema.get("properties", {}).items():
        _add_property(
            context, members, Property(name, value, hint, (_locate(value, schema),), group, rules, bool(group))
        )
    members.excluded += schema.get(EXCLUDED, [])
    members.required |= set(schema.get("required", []))
    members.conditions += [(condition, hint) for condition in iterate_conditional(schema)]
    for keyword in ("oneOf", "anyOf"):
        if schema.get(keyword):
            _add_variants(context, members, schema, keyword, hint)
    _set_additional(members, schema, hint)


def _add_variants(context: Context, members: ObjectMembers, schema: LocatedMap, keyword: str, hint: NameHint) -> None:
    """Add the variants of a union in an object: single properties as properties, other objects as spread variants."""
    variants = schema[keyword]
    if any(variant.get("$ref") == members.owner for variant in variants):
        return
    group = members.add_group() if keyword == "oneOf" and not _has_repeated_property(variants) else 0
    rules = (RULE_UNION_OF_PROPERTIES,) if group else (RULE_ANY_OF,)
    tags = discriminator.find_tags(context, schema, variants)
    labels = choose_labels(context, schema, variants)
    for number, variant in enumerate(variants, start=1):
        name = find_single_property(variant)
        if name is not None and "title" not in variant:
            value = variant["properties"][name]
            _add_property(context, members, Property(name, value, hint, (_locate(value, variant),), group, rules))
            _set_additional(members, variant, hint)
        elif is_object(context, variant):
            variant_hint = hint.variant(labels[number - 1], number)
            members.spreads.append(SpreadVariant(variant, variant_hint, group, tags[number - 1]))
        elif set(variant) - _CONSTRAINTS:
            context.exclude(variant.place, RULE_VARIANT, "a variant without properties, beside properties")


def _has_repeated_property(variants: list[LocatedMap]) -> bool:
    """Return whether two variants declare the same single property, so that a oneof would name it twice."""
    names = [name for variant in variants if (name := find_single_property(variant)) is not None]
    return len(names) != len(set(names))


def _set_additional(members: ObjectMembers, schema: LocatedMap, hint: NameHint) -> None:
    """Set the schema of the keys that are no properties; two different schemas of a composition become a union."""
    declared = {"additionalProperties", "patternProperties"} & set(schema)
    if not declared and not isinstance(schema.get("unevaluatedProperties"), LocatedMap):
        return
    values, earlier = get_additional_schema(schema), members.additional
    if values is False or (earlier is not None and not isinstance(values, LocatedMap)):
        return
    if earlier is not None and isinstance(earlier.schema, LocatedMap) and earlier.schema != values:
        values = make_map({"oneOf": make_list([earlier.schema, values], schema.place)}, schema.place)
    members.additional = AdditionalProperties(values, _locate(values, schema), hint)
    members.has_patterns = members.has_patterns or bool(schema.get("patternProperties"))


def _add_property(context: Context, members: ObjectMembers, new: Property) -> None:
    """Add a property; if the object has it already, merge the two schemas."""
    old = members.properties.get(new.name)
    if old is None:
        members.properties[new.name] = new
        return
    schema = merge_schemas(context, old.schema, new.schema)
    winner, other = (old, new) if schema is old.schema or schema.place == old.schema.place else (new, old)
    members.properties[new.name] = Property(
        new.name,
        schema,
        winner.hint,
        winner.places + other.places,
        new.group or old.group,
        tuple(sorted({*new.rules, *old.rules, RULE_ALL_OF})),
        new.is_alone or old.is_alone,
    )


def _add_conditional_properties(context: Context, members: ObjectMembers) -> None:
    """Add the properties of conditional schemas; one that is also declared unconditionally keeps that schema."""
    by_name: dict[str, list[Property]] = {}
    for schema, hint in members.conditions:
        inner = ObjectMembers(visits=members.visits)
        _add_schema(context, inner, schema, hint)
        _add_conditional_properties(context, inner)
        members.spreads += [SpreadVariant(spread.schema, spread.hint, 0) for spread in inner.spreads]
        for name, conditional_property in inner.properties.items():
            by_name.setdefault(name, []).append(conditional_property)
    for name, declarations in by_name.items():
        places = tuple(place for declaration in declarations for place in declaration.places)
        unconditional = members.properties.get(name)
        if unconditional is not None:
            unconditional.places += places
            continue
        schemas = [declaration.schema for declaration in declarations]
        union = make_map({"oneOf": make_list(schemas, schemas[0].place)}, schemas[0].place)
        schema = schemas[0] if all(other == schemas[0] for other in schemas) else union
        members.properties[name] = Property(name, schema, declarations[0].hint, places, 0, (RULE_CONDITION,))


def _locate(value: Any, parent: LocatedMap) -> Place:
    place: Place = getattr(value, "place", parent.place)
    return place
