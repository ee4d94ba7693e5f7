"""JSON values of a message, as hypothesis strategies: made from what the codec knows of the message."""

from __future__ import annotations

import base64
from itertools import chain
from typing import Any

from hypothesis import strategies as st
from spec2proto_codec.formats.numbers import convert_to_float32, find_shortest
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

DEPTH = 4
_INTEGERS = {
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int64": st.integers(-(2**63), 2**63 - 1),
    "uint32": st.integers(0, 2**32 - 1),
    "uint64": st.integers(0, 2**64 - 1),
}
_TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
_KEYS = st.text(st.characters(exclude_categories=("Cs",)), max_size=4)
_DOUBLES = st.floats(allow_nan=False, allow_infinity=False)
_FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False).map(
    lambda value: find_shortest(convert_to_float32(value))
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | _INTEGERS["int64"] | _DOUBLES | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=3),
    max_leaves=8,
)


def values(plan: MessagePlan, depth: int = DEPTH) -> st.SearchStrategy[Any]:
    """JSON values that a message can be."""
    return _FORMS[plan.form](plan, depth)


def field_values(item: FieldPlan, depth: int) -> st.SearchStrategy[Any]:
    """JSON values that a field can be."""
    one = st.deferred(lambda: _element(item, depth))
    if item.label is Label.LIST:
        if item.kind == "message" and item.plan.form == "lines":
            return st.lists(values(item.plan, depth - 1), max_size=3).map(lambda groups: list(chain(*groups)))
        many = st.lists(one, max_size=3) if depth > 0 else st.just([])
        return many | one.filter(lambda value: type(value) is not list) if item.options.single and depth > 0 else many
    if item.label is Label.MAP:
        return st.dictionaries(_KEYS, one, max_size=3) if depth > 0 else st.just({})
    return one


def _element(item: FieldPlan, depth: int) -> st.SearchStrategy[Any]:
    if item.kind == "message":
        inner = values(item.plan, depth - 1)
        if item.options.shorthand:
            alone = item.plan.properties[item.options.shorthand]
            inner |= field_values(alone, depth - 1).filter(lambda value: type(value) is not dict)
        return st.tuples(_KEYS, inner).map(lambda pair: {pair[0]: pair[1]}) if item.options.entry else inner
    if item.kind == "enum":
        return st.sampled_from(list(item.texts.numbers)) if item.texts.numbers else st.nothing()
    if item.options.coding == "document":
        return st.dictionaries(_KEYS, ANYTHING, max_size=3)
    if item.options.coding in {"base64", "base64url"}:
        encode = base64.urlsafe_b64encode if item.options.coding == "base64url" else base64.b64encode
        return st.binary(max_size=8).map(lambda content: encode(content).decode())
    if item.options.coding == "number":
        return _INTEGERS["uint64"].map(lambda value: value * 2**64)
    return _scalar(item)


def _scalar(item: FieldPlan) -> st.SearchStrategy[Any]:
    found: st.SearchStrategy[Any]
    if item.kind in _INTEGERS:
        found = _INTEGERS[item.kind]
    else:
        found = {"float": _FLOATS | _DOUBLES.filter(lambda value: abs(value) < 3e38), "double": _DOUBLES}.get(
            item.kind, st.booleans() if item.kind == "bool" else _TEXTS
        )
    if item.options.quoted and item.kind in _INTEGERS:
        found |= found.map(str)
    return found


def _object(plan: MessagePlan, depth: int) -> st.SearchStrategy[Any]:
    @st.composite
    def made(draw: st.DrawFn) -> dict[str, Any]:
        found: dict[str, Any] = {}
        taken: set[str] = set()
        names = draw(st.lists(st.sampled_from(sorted(plan.properties)), unique=True)) if plan.properties else []
        if depth <= 0:
            names = names[:1]
        for name in names:
            item = plan.properties[name]
            if item.oneof in taken or (depth <= 0 and item.kind == "message"):
                continue
            if item.oneof:
                taken.add(item.oneof)
            found[name] = None if draw(st.integers(0, 9)) == 0 else draw(field_values(item, depth))
        for group in plan.spreads if depth > 0 else ():
            if group[0].oneof in taken:
                continue
            item = draw(st.sampled_from(group))
            part = draw(values(item.plan, depth - 1))
            found = {**(part if type(part) is dict else {}), **found}
        if plan.rest_field is not None and depth > 0:
            rest = draw(
                values(plan.rest_field.plan, depth)
                if plan.rest_field.label is Label.ONE
                else field_values(plan.rest_field, depth)
            )
            found = {**{name: entry for name, entry in rest.items() if name not in plan.known_keys}, **found}
        return found

    return made()


def _union(plan: MessagePlan, depth: int) -> st.SearchStrategy[Any]:
    return st.one_of([field_values(item, depth) for item in plan.variants])


def _entry(plan: MessagePlan, depth: int) -> st.SearchStrategy[Any]:
    return st.tuples(_KEYS, field_values(plan.content, depth)).map(lambda pair: {pair[0]: pair[1]})


def _tuple(plan: MessagePlan, depth: int) -> st.SearchStrategy[Any]:
    first = st.tuples(*(field_values(item, depth) for item in plan.items)).map(list)
    further = field_values(plan.content, depth) if plan.content_field is not None else st.just([])
    whole = st.tuples(first, further).map(lambda pair: pair[0] + pair[1])
    return whole | first.flatmap(lambda items: st.integers(0, len(items)).map(lambda count: items[:count]))


def _lines(plan: MessagePlan, depth: int) -> st.SearchStrategy[Any]:
    return st.tuples(*(field_values(item, depth) for item in plan.variants[:1])).map(list)


def _any(plan: MessagePlan, _: int) -> st.SearchStrategy[Any]:
    if plan.variants:
        return ANYTHING
    role = plan.content.role
    return st.dictionaries(_KEYS, ANYTHING, max_size=3) if role == "entries" else st.lists(ANYTHING, max_size=3)


_FORMS = {
    "object": _object,
    "union": _union,
    "entry": _entry,
    "tuple": _tuple,
    "lines": _lines,
    "any": _any,
    "array": lambda plan, depth: field_values(plan.content, depth),
    "map": lambda plan, depth: field_values(plan.content, depth),
    "number": lambda _plan, _depth: _INTEGERS["uint64"] | _INTEGERS["int64"] | _DOUBLES,
}
