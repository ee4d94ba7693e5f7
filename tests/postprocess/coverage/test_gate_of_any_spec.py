"""Properties of coverage on generated specifications: nothing is lost, and a removed field is always reported."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pipeline.model.diagnostics import Failure
from pipeline.model.source import SchemaKind
from tests.postprocess.specs import ConvertedSpec, convert_schemas

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


def rename_properties(value: Any, numbers: Any) -> Any:
    """Return the schemas with unique property names, so that `allOf` never merges two properties."""
    if isinstance(value, list):
        return [rename_properties(item, numbers) for item in value]
    if not isinstance(value, dict):
        return value
    if "properties" in value:
        properties = {f"p{next(numbers)}": rename_properties(item, numbers) for item in value["properties"].values()}
        return value | {"properties": properties}
    return {key: rename_properties(item, numbers) for key, item in value.items()}


def convert_components(schemas: list[Any]) -> ConvertedSpec:
    numbers = count(1)
    try:
        return convert_schemas(
            {key: rename_properties(schema, numbers) for key, schema in zip(KEYS, schemas, strict=True)}
        )
    except Failure as failure:
        assume(failure is None)
        raise


any_spec = st.lists(COMPONENTS, min_size=len(KEYS), max_size=len(KEYS)).map(convert_components)
many = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@given(any_spec)
@many
def test_everything_has_a_carrier(spec: ConvertedSpec) -> None:
    assert spec.diagnostics() == []


@given(any_spec, st.data())
@many
def test_a_removed_field_is_reported(spec: ConvertedSpec, data: st.DataObject) -> None:
    fields = [
        (name, item.name)
        for name, message in sorted(spec.contract.messages.items())
        for item in message.fields
        if message.schema.kind is not SchemaKind.SUPPORT
    ]
    assert spec.without(*data.draw(st.sampled_from(fields))).diagnostics() != []
