"""Laws of merging locks: published numbers stay, no number is assigned twice, merging again changes nothing."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.model.contract import Enum, EnumValue
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.lock.text import format_lock, parse_lock
from pipeline.model.source import SchemaSource
from postprocess.lock.compatibility import compatibility_errors
from postprocess.lock.merge import merge_locks
from preprocess.numbering.enum_numbers import number_enum
from tests.preprocess.numbering.test_field_numbers import Spec, Specs, number

# The message that some fields are of.
NODE = number({}, None).locked
TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), unique=True)
Steps = st.lists(st.tuples(Specs, TEXTS), max_size=3)


def grow_lock(lock: Lock, steps: list[tuple[Spec, list[str]]]) -> Lock:
    """Return a lock after some builds."""
    for properties, texts in steps:
        message = number(properties, lock.messages.get("Sample")).locked
        values = tuple(EnumValue(f"STATE_{text.upper()}", (text,)) for text in texts)
        enum = number_enum(
            Enum("State", SchemaSource.for_component("State"), values, file="sample.proto"), lock.enums.get("State")
        ).locked
        lock = lock.model_copy(update={"messages": {"Node": NODE, "Sample": message}, "enums": {"State": enum}})
    return lock


@given(Steps, Steps, Steps)
@settings(max_examples=200, deadline=None)
def test_the_published_side_stays_and_no_number_is_given_twice(
    base: list[tuple[Spec, list[str]]], ours: list[tuple[Spec, list[str]]], theirs: list[tuple[Spec, list[str]]]
) -> None:
    common = grow_lock(create_empty_lock("sample.v1"), base)
    published, other = grow_lock(common, ours), grow_lock(common, theirs)
    merged = merge_locks(common, published, other)
    assert parse_lock(format_lock(merged.lock), "merged") == merged.lock
    assert compatibility_errors(published, merged.lock, "published") == []
    assert compatibility_errors(common, merged.lock, "common") == []
    assert merge_locks(other, merged.lock, other).lock == merged.lock
    assert merge_locks(common, published, common).lock == published
    left_out = {name.partition(".")[2] for name in merged.left_out}
    names = {item.name for message in other.messages.values() for item in message.fields}
    assert names - left_out <= {item.name for message in merged.lock.messages.values() for item in message.fields}
