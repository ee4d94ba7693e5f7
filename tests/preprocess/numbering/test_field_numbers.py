"""Laws of numbers: whatever a spec goes through, none is given twice, none moves, and a rebuild changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.model.contract import Field, JsonForm, Label, Message
from pipeline.model.lock.model import LockedField, LockedMessage, State
from pipeline.model.source import FieldSource, SchemaSource
from preprocess.numbering.field_numbers import MessageNumbers, NumberedMessage

NAMES = ["a", "b", "sha_256", "sha", "x_1", "x", "a_2", "message"]
KINDS = [
    ("string", Label.OPTIONAL, None),
    ("int64", Label.OPTIONAL, None),
    ("string", Label.SINGULAR, None),
    ("string", Label.REPEATED, None),
    ("Node", Label.MAP, None),
    ("string", Label.SINGULAR, "choice"),
    ("Node", Label.SINGULAR, "choice"),
]


def message(properties: dict[str, tuple[str, Label, str | None]]) -> Message:
    fields = tuple(
        Field(FieldSource.for_property(name), name, kind[0], kind[1], oneof=kind[2])
        for name, kind in properties.items()
    )
    return Message("Sample", SchemaSource.for_component("ns___Sample"), JsonForm.OBJECT, fields, file="sample.proto")


def number(
    properties: dict[str, tuple[str, Label, str | None]],
    known: LockedMessage | None,
    ties: dict[str, str] | None = None,
) -> NumberedMessage:
    return MessageNumbers(message(properties), known, ties or {}, keep_deprecated=True).run()


Spec = dict[str, tuple[str, Label, str | None]]
Specs = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(KINDS))


@dataclass
class Memory:
    """Everything that was ever published, to hold each step against."""

    meanings: dict[int, tuple[str, str, str]] = field(default_factory=dict)

    def take(self, found: NumberedMessage) -> None:
        live = found.message.fields
        assert len({item.number for item in live}) == len(live)
        assert len({item.name for item in live}) == len(live)
        for item in live:
            listed = str(item.label) if item.label in {Label.REPEATED, Label.MAP} else "single"
            meaning = (item.name, item.type, listed)
            assert self.meanings.setdefault(item.number, meaning) == meaning
        assert set(self.meanings) == {item.number for item in live}, "a published field has gone"


@given(st.lists(Specs, min_size=1, max_size=8))
@settings(max_examples=300)
def test_a_number_keeps_its_meaning_through_any_history(
    history: list[dict[str, tuple[str, Label, str | None]]],
) -> None:
    memory, known = Memory(), None
    for properties in history:
        found = number(properties, known)
        memory.take(found)
        again = number(properties, found.locked)
        assert again.message == found.message
        assert again.locked == found.locked
        assert again.events == ()
        for name, (kind, label, _) in properties.items():
            owners = [item for item in found.message.fields if item.source.name == name and not item.deprecated]
            assert [(item.type, item.label in {Label.REPEATED, Label.MAP}) for item in owners] == [
                (kind, label in {Label.REPEATED, Label.MAP})
            ], f"{name} has no live field, or several"
        known = found.locked


@given(Specs, Specs)
def test_a_property_that_comes_back_gets_its_number_back(first: Spec, second: Spec) -> None:
    one = number(first, None)
    two = number(second, one.locked)
    three = number(first, two.locked)
    gone = {(item.source.name, item.number) for item in one.message.fields if item.source.name not in second}
    assert gone <= {(item.source.name, item.number) for item in three.message.fields if not item.deprecated}


@given(Specs)
def test_the_order_of_properties_does_not_matter(properties: dict[str, tuple[str, Label, str | None]]) -> None:
    backwards = dict(reversed(properties.items()))
    assert number(properties, None).locked == number(backwards, None).locked


def locked(*fields: LockedField) -> LockedMessage:
    return LockedMessage(file="sample.proto", next=max(item.number for item in fields) + 1, fields=fields)


def test_numbers_that_protobuf_keeps_for_itself_are_skipped() -> None:
    known = LockedMessage(file="sample.proto", next=19_000)
    assert [item.number for item in number({"a": KINDS[0], "b": KINDS[0]}, known).message.fields] == [20_000, 20_001]


def test_a_reserved_number_comes_back_for_what_it_stood_for_only() -> None:
    known = locked(LockedField(number=7, name="a", type="string", label=Label.OPTIONAL, state=State.RESERVED))
    same = number({"a": ("string", Label.OPTIONAL, None)}, known)
    other = number({"a": ("int64", Label.OPTIONAL, None)}, known)
    assert [(item.name, item.number) for item in same.message.fields] == [("a", 7)]
    assert same.message.reserved == ()
    assert [item.number for item in other.message.fields] == [8]
    assert other.message.reserved == ((7, "a"),)


def test_a_tie_says_what_a_name_does_not() -> None:
    known = locked(
        LockedField(number=1, name="boost", type="float", label=Label.MAP, state=State.DEPRECATED),
        LockedField(number=2, name="boost_2", type="FloatMap", label=Label.REPEATED),
    )
    found = number({"boost": ("FloatMap", Label.REPEATED, None)}, known, {"boost_2": "boost"})
    assert {item.number: bool(item.deprecated) for item in found.message.fields} == {1: True, 2: False}


def test_without_a_tie_a_suffix_means_nothing() -> None:
    known = locked(LockedField(number=2, name="boost_2", type="FloatMap", label=Label.REPEATED))
    found = number({"boost": ("FloatMap", Label.REPEATED, None)}, known)
    assert {item.name: item.number for item in found.message.fields} == {"boost_2": 2, "boost": 3}


def test_a_plain_field_stays_plain_when_the_message_becomes_a_union() -> None:
    first = number({"a": ("string", Label.OPTIONAL, None)}, None)
    second = number({"a": ("string", Label.SINGULAR, "choice"), "b": ("int64", Label.SINGULAR, "choice")}, first.locked)
    assert [(item.name, item.number, item.oneof) for item in second.message.fields] == [
        ("a", 1, None),
        ("b", 2, "choice"),
    ]


def test_a_field_of_a_oneof_does_not_become_plain_in_place() -> None:
    first = number({"a": ("string", Label.SINGULAR, "choice"), "b": ("int64", Label.SINGULAR, "choice")}, None)
    second = number({"a": ("string", Label.OPTIONAL, None), "b": ("int64", Label.OPTIONAL, None)}, first.locked)
    live = {item.source.text: (item.number, item.oneof) for item in second.message.fields if not item.deprecated}
    assert live == {"a": (3, None), "b": (4, None)}
