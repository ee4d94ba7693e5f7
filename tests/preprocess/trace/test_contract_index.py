"""Carriers are interned, and know which JSON types they can hold."""

from __future__ import annotations

import pytest

from preprocess.trace.carriers import Carrier
from preprocess.trace.contract_index import ALL_TYPES, MAX_PATH, ContractIndex
from tests.postprocess.specs import convert_schemas

STRING = {"type": "string"}
PROPERTIES = {
    "string": STRING,
    "enum": {"enum": ["a", "b"]},
    "number": {"type": "integer"},
    "flag": {"type": "boolean"},
    "list": {"type": "array", "items": STRING},
    "single": {"oneOf": [STRING, {"type": "array", "items": STRING}]},
    "map": {"type": "object", "additionalProperties": STRING},
    "any": {},
}


@pytest.fixture(scope="module")
def index() -> ContractIndex:
    return convert_schemas({"Sample": {"type": "object", "properties": PROPERTIES}}).trace().index


def get_carrier(index: ContractIndex, name: str) -> Carrier:
    return index.get_carrier("Sample", index.messages["Sample"].properties[name])


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("string", {"string", "null"}),
        ("enum", {"string", "null"}),
        ("number", {"integer", "number", "null"}),
        ("flag", {"boolean", "null"}),
        ("list", {"array", "null"}),
        ("single", {"array", "string", "null"}),
        ("map", {"object", "null"}),
        ("any", ALL_TYPES),
    ],
)
def test_json_types(index: ContractIndex, name: str, types: set[str]) -> None:
    assert index.get_json_types(index.unwrap(get_carrier(index, name))) == types


def test_equal_carriers_are_identical(index: ContractIndex) -> None:
    carrier = get_carrier(index, "list")
    assert get_carrier(index, "list") is carrier
    assert index.derive_element(carrier, "items") is index.derive_element(carrier, "items")
    assert index.derive(carrier, in_free_form=True) is index.derive(carrier, in_free_form=True)


def test_path_of_a_nested_list_is_limited(index: ContractIndex) -> None:
    carrier = get_carrier(index, "list")
    for _ in range(2 * MAX_PATH):
        carrier = index.derive_element(carrier, "items")
    assert carrier.path == ("items",) * MAX_PATH
    assert index.derive_element(carrier, "items") is carrier
