"""Variants: those of a union, one by one, and what each is called.

Sources: JSON Schema core 2020-12, sections 10.2.1.2 (`anyOf`) and 10.2.1.3 (`oneOf`).
"""

from __future__ import annotations

from pipeline.model.document.located import LocatedMap, make_list, make_map
from preprocess.document.normalize import SPELLING
from preprocess.document.subschemas import UNIONS
from preprocess.schema import all_of, discriminator
from preprocess.schema.all_of import SHAPING
from preprocess.schema.context import ConversionContext
from preprocess.schema.enums import enum_values, union_values

RULE_NESTED = "nested-union"
# What beside a union says the type of all its variants.
_BESIDE = ("type", "format", "items", "additionalProperties")


def variants_of(context: ConversionContext, schema: LocatedMap, key: str) -> list[LocatedMap]:
    """The variants of a union: unions among them in their place, and texts beside others together as one."""
    found = _flat(context, schema, key)
    texts = [variant for variant in found if "title" not in variant and "$ref" not in variant and _has_texts(variant)]
    if len(texts) < 2 or all(_has_texts(variant) for variant in found):  # noqa: PLR2004 - one is like any other variant
        return found
    together = make_map({"oneOf": make_list(texts, texts[0].place)}, texts[0].place)
    others = [variant for variant in found if not any(variant is text for text in texts)]
    at = next(index for index, variant in enumerate(found) if variant is texts[0])
    return [*others[:at], together, *others[at:]]


def _has_texts(variant: LocatedMap) -> bool:
    """Whether a variant is one or several texts, and null at most beside them."""
    values = enum_values(variant) or [text for text, _ in union_values(variant.get("oneOf", [])) or []]
    return any(text is not None for text in values)


def _flat(context: ConversionContext, schema: LocatedMap, key: str) -> list[LocatedMap]:
    """The variants of a union: each with the type that stands beside it, unions among them and null in their place."""
    beside = {name: schema[name] for name in _BESIDE if name in schema}
    found: list[LocatedMap] = []
    for variant in schema[key]:
        whole = make_map({**beside, **variant}, variant.place) if beside and not set(variant) & SHAPING else variant
        inner = next((name for name in UNIONS if name in whole), "")
        if inner and not set(whole) - {inner, "description"}:
            nested = _flat(context, whole, inner)
            found += [make_map({**item, SPELLING: RULE_NESTED}, item.place) for item in nested]
        elif isinstance(whole.get("type"), list) and not set(whole) & {"enum", "const", "title", "properties"}:
            found += [make_map({**whole, "type": kind}, whole.place) for kind in whole["type"]]
        elif whole.get("nullable") is True and context.options.null_variant == "variant":
            bare = {name: value for name, value in whole.items() if name != "nullable"}
            found += [make_map(one, whole.place) for one in (bare, {"type": "null"})]
        else:
            found.append(whole)
    return found


def labels_of(context: ConversionContext, schema: LocatedMap, variants: list[LocatedMap]) -> list[str]:
    """What the variants are called: by their titles; inline ones else by what tells them apart."""
    tags = discriminator.tags(context, schema, variants)
    inline = [variant for variant in variants if "$ref" not in variant and "title" not in variant]
    constants = [id(variant) for variant in inline if _has_texts(variant)]
    objects_in = [variant for variant in inline if all_of.is_object(context, variant)]
    labels: list[str] = []
    for variant, told in zip(variants, tags, strict=True):
        label = str(variant.get("title", ""))
        if any(variant is item for item in objects_in):
            label = told[0].value if told else _object_label(objects_in, variant, len(labels) + 1)
        elif constants == [id(variant)]:
            label = "constant"
        labels.append(f"{label} {len(labels) + 1}" if label in labels and "$ref" not in variant and label else label)
    return labels


def _object_label(objects_in: list[LocatedMap], variant: LocatedMap, number: int) -> str:
    """An inline object alone is `object`; one of several is called by a property that it alone must have."""
    if len(objects_in) == 1:
        return "object"
    others = {name for item in objects_in if item is not variant for name in item.get("properties", {})}
    own = [name for name in variant.get("required", []) if name in variant.get("properties", {}) and name not in others]
    return min(own) if own else f"variant {number}"
