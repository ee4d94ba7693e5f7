"""Parts: an object put together from the members of its composition.

Sources: JSON Schema core 2020-12, sections 10.2.1 (allOf, anyOf, oneOf), 10.2.2 (conditions) and 10.3.2.1 (properties).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.diagnostics import Place
from pipeline.model.document.located import LocatedMap, escape_token, make_list, make_map
from pipeline.model.json_encoding import Tag
from pipeline.model.source import FieldSource
from preprocess.document.prune import EXCLUDED
from preprocess.document.references import SCHEMAS, parse_component_key
from preprocess.document.subschemas import get_additional_schema, iterate_conditional
from preprocess.naming.hints import NameHint
from preprocess.schema import discriminator
from preprocess.schema.all_of import is_object, merged, resolved
from preprocess.schema.context import ConversionContext
from preprocess.schema.union_variants import labels_of

RULE_VARIANT = "variant-beside-properties"
RULE_CONDITION = "conditional"
# What a variant may say without being anything that a message would hold.
_CONSTRAINTS = {"required", "not", "title", "description", "type", "minProperties", "maxProperties"}
_OFTEN = 4


@dataclass(slots=True)
class Property:
    """One property while its object is put together; `group` is the oneof it belongs to, none for 0."""

    name: str
    schema: LocatedMap
    hint: NameHint
    places: tuple[Place, ...]
    group: int = 0
    rules: tuple[str, ...] = ()


@dataclass(slots=True)
class Spread:
    """A variant whose own properties stand in the object itself; `group` as above."""

    schema: LocatedMap
    hint: NameHint
    group: int
    tags: tuple[Tag, ...] = ()


@dataclass(slots=True)
class Parts:
    """An object while it is put together from the members of its composition.

    Attributes:
        properties: by name.
        required: names of those that must be there.
        spreads: variants whose properties stand in the object.
        rest: the schema of all other keys, its place, and what inline schemas in it are called after.
        excluded: properties that a rule left out.
        conditions: schemas that apply under a condition, with their hints.
        groups: how many oneofs there are.
        owner: the reference that leads to the object; a union that lists it, in what it extends, tells nothing more.
        patterns: whether the other keys follow patterns.
        met: how often each component was added, by key.
    """

    properties: dict[str, Property] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    spreads: list[Spread] = field(default_factory=list)
    rest: tuple[Any, Place, NameHint] | None = None
    excluded: list[tuple[FieldSource, str, str]] = field(default_factory=list)
    conditions: list[tuple[LocatedMap, NameHint]] = field(default_factory=list)
    groups: int = 0
    owner: str = ""
    patterns: bool = False
    met: Counter[str] = field(default_factory=Counter)

    def group(self) -> int:
        """A oneof of its own."""
        self.groups += 1
        return self.groups


def single_property(schema: LocatedMap) -> str | None:
    """The name of the only property of an inline object without composition; None for anything else."""
    properties = schema.get("properties")
    if (
        not isinstance(properties, LocatedMap)
        or len(properties) != 1
        or set(schema) & {"allOf", "oneOf", "anyOf", "$ref"}
    ):
        return None
    return str(next(iter(properties)))


def property_names(context: ConversionContext, schema: LocatedMap) -> set[str]:
    """The names of all properties of an object, through references and allOf."""
    names: set[str] = set()
    waiting, seen = [schema], set()
    while waiting:
        node = resolved(context, waiting.pop())
        if id(node) not in seen:
            seen.add(id(node))
            names |= node.get("properties", {}).keys()
            waiting += node.get("allOf", [])
    return names


def parts_of(context: ConversionContext, schema: LocatedMap, hint: NameHint) -> Parts:
    """The parts of an object, those that only stand under a condition included.

    Args:
        context: to see through references.
        schema: the object.
        hint: what inline schemas in it are called after.
    """
    parts = Parts(owner=SCHEMAS + escape_token(hint.source.text))
    _collect(context, schema, hint, parts)
    _conditions(context, parts)
    return parts


def _collect(
    context: ConversionContext, schema: LocatedMap, hint: NameHint, parts: Parts, open_keys: tuple[str, ...] = ()
) -> None:
    """Add one member of a composition; `open_keys` are the references being followed, so that a cycle ends.

    A component that was added often has nothing to add: there may be a trillion ways to it.
    """
    if "$ref" in schema:
        key = parse_component_key(schema["$ref"])
        target = context.schemas.get(key)
        parts.met[key] += 1
        if target is not None and key not in open_keys and parts.met[key] <= _OFTEN:
            _collect(context, target, context.derive_hint(key), parts, (*open_keys, key))
        return
    for member in schema.get("allOf", []):
        _collect(context, member, hint, parts, open_keys)
    at_most_one = schema.get("maxProperties") == 1 and "additionalProperties" not in schema
    group = parts.group() if at_most_one and schema.get("properties") else 0
    for name, value in schema.get("properties", {}).items():
        rules = ("property-oneof",) if group else ()
        _add(context, parts, Property(name, value, hint, (_place(value, schema),), group, rules))
    parts.excluded += schema.get(EXCLUDED, [])
    parts.required |= set(schema.get("required", []))
    parts.conditions += [(item, hint) for item in iterate_conditional(schema)]
    for key in ("oneOf", "anyOf"):
        _variants(context, schema, key, hint, parts)
    _rest(schema, hint, parts)


def _variants(context: ConversionContext, schema: LocatedMap, key: str, hint: NameHint, parts: Parts) -> None:
    listed = schema.get(key, [])
    if any(variant.get("$ref") == parts.owner for variant in listed):
        return
    group = parts.group() if key == "oneOf" and listed and not _repeated(listed) else 0
    tags = discriminator.tags(context, schema, listed)
    labels = labels_of(context, schema, listed)
    for number, variant in enumerate(listed, start=1):
        only = single_property(variant)
        if only is not None and "title" not in variant:
            rule = ("union-of-properties",) if group else ("any-of",)
            value = variant["properties"][only]
            _add(context, parts, Property(only, value, hint, (_place(value, variant),), group, rule))
            _rest(variant, hint, parts)
        elif is_object(context, variant):
            named = hint.variant(labels[number - 1], number)
            parts.spreads.append(Spread(variant, named, group, tags[number - 1]))
        elif set(variant) - _CONSTRAINTS:
            context.exclude(variant.place, RULE_VARIANT, "a variant without properties, beside properties")


def _repeated(variants: list[LocatedMap]) -> bool:
    """Whether variants tell the values of one property apart, not the properties of an object."""
    names = [only for variant in variants if (only := single_property(variant)) is not None]
    return len(names) != len(set(names))


def _rest(schema: LocatedMap, hint: NameHint, parts: Parts) -> None:
    told = {"additionalProperties", "patternProperties"} & set(schema)
    if not told and not isinstance(schema.get("unevaluatedProperties"), LocatedMap):
        return
    values = get_additional_schema(schema)
    if values is False or (parts.rest is not None and not isinstance(values, LocatedMap)):
        return
    if parts.rest is not None and isinstance(parts.rest[0], LocatedMap) and parts.rest[0] != values:
        values = make_map({"oneOf": make_list([parts.rest[0], values], schema.place)}, schema.place)
    parts.rest = (values, _place(values, schema), hint)
    parts.patterns = parts.patterns or bool(schema.get("patternProperties"))


def _add(context: ConversionContext, parts: Parts, new: Property) -> None:
    """Add a property; of one that is there already the two schemas are merged."""
    old = parts.properties.get(new.name)
    if old is None:
        parts.properties[new.name] = new
        return
    schema = merged(context, old.schema, new.schema)
    winner, other = (old, new) if schema is old.schema or schema.place == old.schema.place else (new, old)
    parts.properties[new.name] = Property(
        new.name,
        schema,
        winner.hint,
        winner.places + other.places,
        new.group or old.group,
        tuple(sorted({*new.rules, *old.rules, "all-of"})),
    )


def _conditions(context: ConversionContext, parts: Parts) -> None:
    """Add the properties that may be there under a condition; one that is there in any case is told by that."""
    found: dict[str, list[Property]] = {}
    for schema, hint in parts.conditions:
        inner = Parts(met=parts.met)
        _collect(context, schema, hint, inner)
        _conditions(context, inner)
        parts.spreads += [Spread(item.schema, item.hint, 0) for item in inner.spreads]
        for name, item in inner.properties.items():
            found.setdefault(name, []).append(item)
    for name, listed in found.items():
        places = tuple(place for item in listed for place in item.places)
        known = parts.properties.get(name)
        if known is not None:
            known.places += places
            continue
        schemas = [item.schema for item in listed]
        union = make_map({"oneOf": make_list(schemas, schemas[0].place)}, schemas[0].place)
        schema = schemas[0] if all(item == schemas[0] for item in schemas) else union
        parts.properties[name] = Property(name, schema, listed[0].hint, places, 0, (RULE_CONDITION,))


def _place(value: Any, holder: LocatedMap) -> Place:
    place: Place = getattr(value, "place", holder.place)
    return place
