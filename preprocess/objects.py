"""Objects: properties, composition with allOf, and what stands beside the properties.

An allOf is one message with the properties of all its members. A member's oneOf becomes a oneof of the message, a
member's anyOf plain fields; an object of at most one property is a oneof as a whole.
Sources: JSON Schema core 2020-12, sections 10.2.1 and 10.3.2; protobuf guide, oneof.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from pipeline.model.contract import Field, JsonForm, JsonRole
from pipeline.model.findings import Place
from pipeline.model.located import Mapping
from preprocess.exclude import EXCLUDED
from preprocess.sanitize import component_key
from preprocess.shapes import Hint, Kind, Shape, type_words
from preprocess.subschemas import any_key
from preprocess.texts import field_name, snake

if TYPE_CHECKING:
    from preprocess.convert import Converter

RULE_UNTITLED_REST = "untitled-rest"
RULE_VARIANT = "variant-beside-properties"
# What a variant may say without being anything that a message would hold.
_CONSTRAINTS = {"required", "not", "title", "description", "type", "minProperties", "maxProperties"}


@dataclass(slots=True)
class Property:
    """One property while its object is put together."""

    name: str
    schema: Mapping
    hint: Hint
    places: tuple[Place, ...]
    in_oneof: bool = False
    rules: tuple[str, ...] = ()


@dataclass(slots=True)
class Spread:
    """A variant whose own properties stand in the object itself."""

    schema: Mapping
    hint: Hint
    in_oneof: bool


@dataclass(slots=True)
class Parts:
    """An object while it is put together from the members of its composition."""

    properties: dict[str, Property] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    spreads: list[Spread] = field(default_factory=list)
    rest: tuple[Any, Place, Hint] | None = None
    excluded: list[tuple[str, str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Filled:
    """What the schema of a message turned out to be."""

    form: JsonForm
    fields: tuple[Field, ...]
    excluded: tuple[tuple[str, str, str], ...] = ()


def single_property(schema: Mapping) -> str | None:
    """The name of the only property of an inline object without composition; None for anything else."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or len(properties) != 1 or set(schema) & {"allOf", "oneOf", "anyOf", "$ref"}:
        return None
    return str(next(iter(properties)))


def is_object(converter: Converter, schema: Any, depth: int = 0) -> bool:
    """Whether a schema describes objects with properties of their own, seen through references and composition."""
    if not isinstance(schema, Mapping) or depth > converter.MAX_ALIASES:
        return False
    if "$ref" in schema:
        return is_object(converter, converter.schemas.get(component_key(schema["$ref"])), depth + 1)
    if schema.get("properties"):
        return True
    members = [member for key in ("allOf", "oneOf", "anyOf") for member in schema.get(key, [])]
    return any(is_object(converter, member, depth + 1) for member in members)


def property_names(converter: Converter, schema: Mapping, depth: int = 0) -> set[str]:
    """The names of all properties of an object, through references and allOf."""
    if depth > converter.MAX_ALIASES:
        return set()
    if "$ref" in schema:
        target = converter.schemas.get(component_key(schema["$ref"]))
        return property_names(converter, target, depth + 1) if target is not None else set()
    names = set(schema.get("properties", {}))
    for member in schema.get("allOf", []):
        names |= property_names(converter, member, depth + 1)
    return names


def collect(converter: Converter, schema: Mapping, hint: Hint, parts: Parts, open_keys: tuple[str, ...] = ()) -> None:
    """Add one member of a composition to the parts of its object.

    Args:
        converter: to see through references.
        schema: the member.
        hint: what inline schemas in it are called after.
        parts: the object so far; what comes later wins, but a schema that says nothing never does.
        open_keys: the references being followed, so that a cycle ends.
    """
    if "$ref" in schema:
        key = component_key(schema["$ref"])
        target = converter.schemas.get(key)
        if target is not None and key not in open_keys:
            collect(converter, target, converter.hint_of(key), parts, (*open_keys, key))
        return
    for member in schema.get("allOf", []):
        collect(converter, member, hint, parts, open_keys)
    one_of = schema.get("maxProperties") == 1 and "additionalProperties" not in schema
    for name, value in schema.get("properties", {}).items():
        _add(
            parts, Property(name, value, hint, (_place(value, schema),), one_of, ("property-oneof",) if one_of else ())
        )
    parts.excluded += schema.get(EXCLUDED, [])
    parts.required |= set(schema.get("required", []))
    for key in ("oneOf", "anyOf"):
        repeated = _repeated(schema.get(key, []))
        for number, variant in enumerate(schema.get(key, []), start=1):
            _variant(converter, variant, hint, number, parts, in_oneof=key == "oneOf" and not repeated)
    if set(schema) & {"additionalProperties", "patternProperties"} or isinstance(
        schema.get("unevaluatedProperties"), Mapping
    ):
        values = any_key(schema)
        parts.rest = parts.rest if values is False else (values, _place(values, schema), hint)


def _repeated(variants: list[Mapping]) -> bool:
    """Whether variants tell the values of one property apart, not the properties of an object."""
    names = [only for variant in variants if (only := single_property(variant)) is not None]
    return len(names) != len(set(names))


def _variant(converter: Converter, variant: Mapping, hint: Hint, number: int, parts: Parts, *, in_oneof: bool) -> None:
    only = single_property(variant)
    rule = ("union-of-properties",) if in_oneof else ("any-of",)
    if only is not None and "title" not in variant:
        schema = variant["properties"][only]
        _add(parts, Property(only, schema, hint, (_place(schema, variant),), in_oneof, rule))
    elif is_object(converter, variant):
        parts.spreads.append(Spread(variant, hint.variant(str(variant.get("title", "")), number), in_oneof))
    elif set(variant) - _CONSTRAINTS:
        converter.exclude(variant.place, RULE_VARIANT, "a variant without properties, beside properties")


def _add(parts: Parts, new: Property) -> None:
    old = parts.properties.get(new.name)
    if old is not None:
        if not _says_something(new.schema) and _says_something(old.schema):
            old.places += new.places
            return
        new.places += old.places
        new.in_oneof = new.in_oneof or old.in_oneof
        new.rules = tuple(sorted({*new.rules, "all-of"}))
    parts.properties[new.name] = new


def _says_something(schema: Mapping) -> bool:
    return bool(set(schema) - {"description", "title", "x-is-generic-type-parameter", "deprecated"})


def _place(value: Any, holder: Mapping) -> Place:
    place: Place = getattr(value, "place", holder.place)
    return place


def fill(converter: Converter, schema: Mapping, hint: Hint, message: str) -> Filled:
    """The fields of the message that an object schema becomes.

    Returns:
        Its form in JSON, its fields in order of their sources, without numbers, and what was left out.
    """
    parts = Parts()
    collect(converter, schema, hint, parts)
    composed = ("all-of",) if "allOf" in schema else ()
    oneof = snake(message)
    fields = [
        property_field(
            converter, item, message, item.name in parts.required, oneof if item.in_oneof else None, composed
        )
        for _, item in sorted(parts.properties.items())
    ]
    fields += [_spread_field(converter, spread, oneof) for spread in parts.spreads]
    rest = _rest_field(converter, parts)
    excluded = tuple(item for item in parts.excluded if item[0] not in parts.properties)
    return Filled(JsonForm.OBJECT, (*fields, *([rest] if rest else [])), excluded)


def property_field(
    converter: Converter, item: Property, message: str, required: bool, oneof: str | None, rules: tuple[str, ...] = ()
) -> Field:
    """The field of one property.

    Args:
        converter: for the shape of its schema.
        item: the property.
        message: the message it belongs to; some put the key of a one-key object into the value's message.
        required: whether the object must have it.
        oneof: the oneof it belongs to, or None.
        rules: what else led to it.
    """
    name = converter.field_name(item.name, item.schema)
    shape = converter.shape(item.schema, item.hint.property(item.name, name).titled(item.schema))
    if shape.kind is Kind.ENTRY and message in converter.choices.inline_entries_in and shape.inner.kind is Kind.MESSAGE:
        converter.keyed.add(shape.inner.name)
        shape = replace(shape.inner, rules=(*shape.inner.rules, *shape.rules, "entry-inline"))
        options: tuple[str, ...] = ("entry",)
    else:
        options = ()
    source = f"property:{item.name}" if ":" in item.name else item.name
    return converter.fields.make(
        source=source,
        name=name,
        json_name=item.name,
        shape=shape,
        required=required or item.schema.get("x-protobuf-required") is True,
        oneof=oneof,
        places=item.places,
        rules=(*rules, *item.rules),
        deprecated=converter.deprecation(item.schema),
        json_options=options,
        options=converter.options(item.schema),
    )


def _spread_field(converter: Converter, spread: Spread, oneof: str) -> Field:
    shape = converter.shape(spread.schema, spread.hint)
    title = str(spread.schema.get("title", ""))
    words = field_name(title) if title else type_words(shape)
    return converter.fields.make(
        source=f"variant:{title or words}",
        name=words,
        json_name="",
        shape=shape,
        required=False,
        role=JsonRole.SPREAD,
        oneof=oneof if spread.in_oneof else None,
        places=(spread.schema.place,),
        rules=("union-in-object",),
        deprecated=converter.deprecation(spread.schema),
    )


def _rest_field(converter: Converter, parts: Parts) -> Field | None:
    """The field for additionalProperties beside properties: named by its title, else by its type."""
    if parts.rest is None:
        return None
    schema, place, hint = parts.rest
    title = str(schema.get("title", "")) if isinstance(schema, Mapping) else ""
    shape = converter.shape(schema, hint.values(), place)
    if not title and shape.kind in {Kind.ANY, Kind.OBJECT}:
        if converter.choices.untitled_rest == "omit":
            converter.exclude(place, RULE_UNTITLED_REST, "additionalProperties without a title")
            return None
        title = "additional_properties"
    open_value = shape.kind in {Kind.ANY, Kind.OBJECT}
    return converter.fields.make(
        source=f"rest:{title}",
        name=field_name(title) if title else type_words(shape),
        json_name="",
        shape=Shape(Kind.OBJECT) if open_value else Shape(Kind.MAP, item=shape),
        required=False,
        role=JsonRole.REST,
        places=(place,),
        rules=("rest-map",),
    )
