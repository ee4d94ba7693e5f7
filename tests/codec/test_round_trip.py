"""The check of each build that samples of all messages and rpcs come back from protobuf."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from spec2proto_codec import HttpCodec

from pipeline.model.contract import Contract
from postprocess.round_trip.check import RoundTripResult, check_round_trip, shrink
from postprocess.round_trip.samples import Samples
from tests.codec.specs import PAGES
from tests.rules.catalogue import run_all
from tests.rules.pages import read_pages

Bindings = dict[str, tuple[FileDescriptorSet, dict[str, Any]]]
STEMS = [page.stem for page in (*PAGES, *read_pages())]
NAME = "required_state.v1.Door"


@pytest.fixture(scope="module")
def contract() -> Contract:
    examples = run_all([page for page in PAGES if page.stem == "required-state"])
    return examples["required-state"].built.contract


def spoilt(bindings: Bindings, contract: Contract) -> RoundTripResult:
    """The check where the enum's number for "not given" stands for a text as well."""
    descriptors, told = bindings["required-state"]
    binding = copy.deepcopy(told)
    binding["enums"]["required_state.v1.State"]["STATE_UNSPECIFIED"] = ["ajar"]
    return check_round_trip(descriptors, binding, contract)


@pytest.mark.parametrize("stem", STEMS)
def test_samples_of_every_example_come_back(bindings: Bindings, contract: Contract, stem: str) -> None:
    if stem in bindings:
        assert check_round_trip(*bindings[stem], contract).diagnostics == []


def test_what_is_lost_is_told_with_the_smallest_value_and_its_place(bindings: Bindings, contract: Contract) -> None:
    diagnostic = next(
        diagnostic for diagnostic in spoilt(bindings, contract).diagnostics if "`Door`" in diagnostic.message
    )
    assert diagnostic.code == "codec/round-trip"
    assert '{"state": "ajar"}, {} comes back' in diagnostic.message
    assert diagnostic.place.pointer == "/components/schemas/Door/properties/state"


def test_a_variant_that_its_own_property_rules_out_is_told_and_not_tried(bindings: Bindings) -> None:
    contract = run_all([page for page in PAGES if page.stem == "impossible"])["impossible"].built.contract
    found = check_round_trip(*bindings["impossible"], contract)
    assert found.diagnostics == []
    assert [(warning.code, warning.message, warning.place.pointer) for warning in found.warnings] == [
        (
            "codec/variant",
            "`kind` is `boat` in `Boat`, whose own schema does not allow it",
            "/components/schemas/Vehicle",
        )
    ]


def test_every_way_to_write_a_value_is_among_the_samples(bindings: Bindings) -> None:
    plans = HttpCodec(*bindings["forms"]).plans
    tried = list(Samples(plans).sample_message(plans.get_plan("forms.v1.Everything")))
    assert tried[0] == {"title": "a", "names": [], "sizes": {}}
    whole = plans.get_plan("forms.v1.Everything").properties.keys()
    assert all(value.keys() == whole for value in tried[1:])
    assert {type(value["one_or_many"]) for value in tried[1:]} >= {list, str}
    assert {value["count"] for value in tried[1:]} & {-(2**31), 2**31 - 1}
    shapes = list(Samples(plans).sample_message(plans.get_plan("forms.v1.Shape")))
    assert {value["type"] for value in shapes} == {"c", "s"}


def test_samples_are_the_same_each_time(bindings: Bindings) -> None:
    plans = [HttpCodec(*bindings["forms"]).plans for _ in range(2)]
    first, second = ([list(Samples(each).sample_message(plan)) for plan in each.messages.values()] for each in plans)
    assert first == second


def test_the_smallest_value_keeps_only_what_fails() -> None:
    value = {"a": [1, {"b": None, "c": 2}], "d": {"e": "f"}}
    assert shrink(value, lambda tried: "None" in str(tried)) == {"a": [{"b": None}]}
