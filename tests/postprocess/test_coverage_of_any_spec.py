"""Laws of coverage, on specs that nobody wrote: all is accounted for, and whatever is taken away is missed."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pipeline.model.diagnostics import Failure
from pipeline.model.source import SchemaKind
from tests.postprocess.specs import Built, built

KEYS = ("Apple", "Berry", "Cherry")
REFERENCES = st.sampled_from([{"$ref": f"#/components/schemas/{key}"} for key in KEYS])
SCALARS = st.sampled_from(
    [{"type": "string"}, {"type": "integer", "format": "int64"}, {"type": "boolean"}, {"type": "number"}, {}]
)
LEAVES = st.one_of(SCALARS, REFERENCES, st.just({"type": "string", "enum": ["first", "second"]}))


def objects(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    listed = st.lists(values, min_size=1, max_size=3)
    return listed.map(lambda schemas: {"type": "object", "properties": dict(enumerate(schemas))})


SCHEMAS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        objects(inner),
        inner.map(lambda schema: {"type": "array", "items": schema}),
        inner.map(lambda schema: {"type": "object", "additionalProperties": schema}),
        st.lists(inner, min_size=2, max_size=3).map(lambda schemas: {"oneOf": schemas}),
    ),
    max_leaves=6,
)
COMPONENTS = st.builds(
    lambda base, own: {"allOf": [base, own]} if base else own, st.one_of(st.none(), REFERENCES), objects(SCHEMAS)
)


def named(value: Any, numbers: Any) -> Any:
    """The schemas with properties of names that occur once, so that no two of an allOf are one."""
    if isinstance(value, list):
        return [named(item, numbers) for item in value]
    if not isinstance(value, dict):
        return value
    if "properties" in value:
        properties = {f"p{next(numbers)}": named(item, numbers) for item in value["properties"].values()}
        return value | {"properties": properties}
    return {key: named(item, numbers) for key, item in value.items()}


def specs(schemas: list[Any]) -> Built:
    numbers = count(1)
    try:
        return built({key: named(schema, numbers) for key, schema in zip(KEYS, schemas, strict=True)})
    except Failure as failure:
        assume(failure is None)
        raise


any_spec = st.lists(COMPONENTS, min_size=len(KEYS), max_size=len(KEYS)).map(specs)
many = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@given(any_spec)
@many
def test_everything_in_any_spec_is_accounted_for(found: Built) -> None:
    assert found.diagnostics() == []


@given(any_spec, st.data())
@many
def test_a_field_of_any_spec_is_missed(found: Built, data: st.DataObject) -> None:
    fields = [
        (name, item.name)
        for name, message in sorted(found.contract.messages.items())
        for item in message.fields
        if message.schema.kind is not SchemaKind.SUPPORT
    ]
    assert found.without(*data.draw(st.sampled_from(fields))).diagnostics() != []
