"""List the variants of a union one by one, and choose a label for each.

Sources: JSON Schema core 2020-12, sections 10.2.1.2 (`anyOf`) and 10.2.1.3 (`oneOf`).
"""

from __future__ import annotations

from pipeline.model.contract import Rule
from pipeline.model.document.located import LocatedMap, make_list, make_map
from preprocess.document.normalize import SPELLING
from preprocess.document.subschemas import UNIONS
from preprocess.schema import discriminator
from preprocess.schema.all_of import SHAPING, is_object
from preprocess.schema.context import Context
from preprocess.schema.enums import find_enum_values, find_union_values

RULE_ANY_OF = Rule("any-of")
RULE_NESTED = Rule("nested-union")
# Keywords beside a union that declare the type of all its variants.
_SHARED_KEYWORDS = ("type", "format", "items", "additionalProperties")


def list_variants(context: Context, schema: LocatedMap, keyword: str) -> list[LocatedMap]:
    """Return the variants of a union; nested unions are expanded, and inline enums beside other types are merged."""
    variants = _expand_variants(context, schema, keyword)
    enums = [variant for variant in variants if not {"title", "$ref"} & set(variant) and _has_strings(variant)]
    if len(enums) <= 1 or all(_has_strings(variant) for variant in variants):
        return variants
    merged = make_map({"oneOf": make_list(enums, enums[0].place)}, enums[0].place)
    others = [variant for variant in variants if not any(variant is enum for enum in enums)]
    index = next(index for index, variant in enumerate(variants) if variant is enums[0])
    return [*others[:index], merged, *others[index:]]


def _has_strings(variant: LocatedMap) -> bool:
    """Return whether a variant allows only certain strings, and null at most."""
    values = find_enum_values(variant) or [value for value, _ in find_union_values(variant.get("oneOf", [])) or []]
    return any(value is not None for value in values)


def _expand_variants(context: Context, schema: LocatedMap, keyword: str) -> list[LocatedMap]:
    """Return the variants of a union with nested ones expanded; one without a type gets the type beside the union."""
    shared = {name: schema[name] for name in _SHARED_KEYWORDS if name in schema}
    variants: list[LocatedMap] = []
    for variant in schema[keyword]:
        inherits = shared and not set(variant) & SHAPING
        variants += _expand_variant(context, make_map({**shared, **variant}, variant.place) if inherits else variant)
    return variants


def _expand_variant(context: Context, variant: LocatedMap) -> list[LocatedMap]:
    """Return the variants that one variant stands for: those of a union, a type array, or the value and null."""
    inner = next((keyword for keyword in UNIONS if keyword in variant), "")
    if inner and not set(variant) - {inner, "description"}:
        nested = _expand_variants(context, variant, inner)
        return [make_map({**item, SPELLING: RULE_NESTED}, item.place) for item in nested]
    if isinstance(variant.get("type"), list) and not set(variant) & {"enum", "const", "title", "properties"}:
        return [make_map({**variant, "type": json_type}, variant.place) for json_type in variant["type"]]
    if variant.get("nullable") is True and context.options.null_variant == "variant":
        value = {name: value for name, value in variant.items() if name != "nullable"}
        return [make_map(value, variant.place), make_map({"type": "null"}, variant.place)]
    return [variant]


def choose_labels(context: Context, schema: LocatedMap, variants: list[LocatedMap]) -> list[str]:
    """Return the labels of the variants: their titles; for inline objects and constants, what distinguishes them."""
    tags = discriminator.find_tags(context, schema, variants)
    inline = [variant for variant in variants if "$ref" not in variant and "title" not in variant]
    constants = [id(variant) for variant in inline if _has_strings(variant)]
    inline_objects = [variant for variant in inline if is_object(context, variant)]
    labels: list[str] = []
    for number, (variant, variant_tags) in enumerate(zip(variants, tags, strict=True), start=1):
        label = str(variant.get("title", ""))
        if any(variant is inline_object for inline_object in inline_objects):
            label = variant_tags[0].value if variant_tags else _label_object(inline_objects, variant, number)
        elif constants == [id(variant)]:
            label = "constant"
        repeated = label and label in labels and "$ref" not in variant
        labels.append(f"{label} {number}" if repeated else label)
    return labels


def _label_object(inline_objects: list[LocatedMap], variant: LocatedMap, number: int) -> str:
    """Return `object` for the only inline object; else the name of a required property that no other object has."""
    if len(inline_objects) == 1:
        return "object"
    others = {name for item in inline_objects if item is not variant for name in item.get("properties", {})}
    properties = set(variant.get("properties", {})) - others
    return min((name for name in variant.get("required", []) if name in properties), default=f"variant {number}")
