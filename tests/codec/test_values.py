"""Values generated for every message of every example of the catalogue make the round trip."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spec2proto_codec import HttpCodec

from tests.codec.encode.test_forms import same
from tests.codec.specs import PAGES
from tests.codec.strategies import values
from tests.rules.pages import read_pages

STEMS = [page.stem for page in (*PAGES, *read_pages())]


@pytest.mark.parametrize("stem", STEMS)
def test_generated_values_come_back(codec: Callable[..., HttpCodec], stem: str) -> None:
    built = codec(stem)
    names = [plan.name for plan in built.plans.messages.values() if plan.form not in {"request", "response"}]

    @settings(max_examples=40, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def check(data: st.DataObject) -> None:
        plan = built.plans.messages[data.draw(st.sampled_from(names), "message")]
        value = data.draw(values(plan), "value")
        assert same(built.decode(plan.name, built.encode(plan.name, value)), value)

    if names:
        check()
