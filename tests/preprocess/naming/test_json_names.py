"""Laws of JSON names: no two of a message are the same, none that was published changes, and protoc takes them all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model.contract import Field, JsonForm, Label, Message
from pipeline.model.identifiers import derive_field_name
from pipeline.model.json_name import derive_json_name, quote_string
from pipeline.model.lock.model import LockedMessage
from pipeline.model.source import FieldSource, SchemaSource
from postprocess.tools.protoc import compile_protos
from preprocess.naming.json_names import assign_json_names, is_valid_option
from preprocess.numbering.field_numbers import MessageNumbers

KEYS = ["page_size", "pageSize", "page-size", "PageSize", "page.size", "_page", "page", "[page]", "p", "page_size_2"]
HOSTILE = [
    'say "when"',
    "back\\slash",
    "line\nbreak",
    "tab\t",
    "bell\a",
    "del\x7f",
    "café",
    "日本",
    "😀",
    "zero\u200bwidth",
    "right\u202eleft",
    "//@end",
    "{{tag}}",
    "`tick`",
    "$ref",
    "[half",
    "half]",
    " ",
]


def spelled(
    sources: dict[str, str], known: LockedMessage | None, choice: str = "option"
) -> tuple[dict[int, Field], LockedMessage]:
    """A message with a string field for each property, numbered and spelled; `sources` is key by source."""
    fields = tuple(
        Field(FieldSource.parse(source), derive_field_name(key), "string", Label.OPTIONAL, json_name=key)
        for source, key in sources.items()
    )
    message = Message("Sample", SchemaSource.for_component("Sample"), JsonForm.OBJECT, fields, file="sample.proto")
    numbered = MessageNumbers(message, known, {}, keep_deprecated=True).run()
    made, locked = assign_json_names(numbered.message, numbered.locked, known, choice)
    return {item.number: item for item in made.fields}, locked


def names(fields: dict[int, Field]) -> dict[int, str]:
    """What each field is called in JSON."""
    return {number: item.json_option or derive_json_name(item.name) for number, item in fields.items()}


@given(st.lists(st.lists(st.sampled_from(KEYS), unique=True), min_size=1, max_size=4))
def test_names_are_distinct_and_stay(history: list[list[str]]) -> None:
    known: LockedMessage | None = None
    published: dict[int, str] = {}
    for keys in history:
        fields, known = spelled({key: key for key in keys}, known)
        found = names(fields)
        assert len(set(found.values())) == len(found)
        assert {number: found[number] for number in published} == published
        assert {item.number: item.json_name or derive_json_name(item.name) for item in known.fields} == found
        again, lock = spelled({key: key for key in keys}, known)
        assert (again, lock) == (fields, known)
        published = found


@given(st.lists(st.sampled_from(KEYS), unique=True))
def test_a_field_that_json_spells_otherwise_has_a_comment(keys: list[str]) -> None:
    fields, _ = spelled({key: key for key in keys}, None)
    for number, item in fields.items():
        assert item.needs_key_comment == (item.json_name not in {item.name, names(fields)[number]})


def test_of_two_with_one_key_the_one_that_needs_no_option_has_it() -> None:
    fields, _ = spelled({"parameter:id@query": "id", "parameter:id": "id"}, None)
    by_source = {item.source.text: item for item in fields.values()}
    assert {source: (item.json_option, item.needs_key_comment) for source, item in by_source.items()} == {
        "parameter:id": ("", False),
        "parameter:id@query": ("", True),
    }


def test_what_was_published_without_an_option_never_gets_one() -> None:
    fields, lock = spelled({"_id": "_id"}, None, "comment")
    assert [(item.json_option, item.needs_key_comment) for item in fields.values()] == [("", True)]
    later, lock = spelled({"_id": "_id", "_name": "_name"}, lock)
    assert [(item.name, item.json_option, item.needs_key_comment) for item in later.values()] == [
        ("x_id", "", True),
        ("x_name", "_name", False),
    ]
    gone, _ = spelled({}, lock, "comment")
    assert [item.json_option for item in gone.values()] == ["", "_name"]


def test_protoc_takes_every_name_as_it_is(tmp_path: Path) -> None:
    fields = "".join(
        f"  string f{number} = {number} [json_name = {quote_string(text)}];\n"
        for number, text in enumerate(HOSTILE, start=1)
    )
    (tmp_path / "sample.proto").write_text(f'syntax = "proto3";\nmessage Sample {{\n{fields}}}\n', encoding="utf-8")
    [message] = compile_protos(tmp_path, ["sample.proto"]).file[0].message_type
    assert [item.json_name for item in message.field] == HOSTILE
    assert all(map(is_valid_option, HOSTILE))


@pytest.mark.parametrize("text", ["", "[page]", "[]", "nul\0l", "\ud800"])
def test_what_protoc_refuses_is_no_option(text: str) -> None:
    assert not is_valid_option(text)


def test_the_same_names_as_protoc_by_default(tmp_path: Path) -> None:
    plain = ["page_size", "sha_256", "x_1", "a", "page__size", "page_", "pageSize", "a_b_c"]
    for number, name in enumerate(plain):
        text = f'syntax = "proto3";\nmessage Sample {{\n  string {name} = 1;\n}}\n'
        (tmp_path / f"sample{number}.proto").write_text(text)
        [message] = compile_protos(tmp_path, [f"sample{number}.proto"]).file[0].message_type
        assert message.field[0].json_name == derive_json_name(name)
