"""Sources are parsed and written in one module, and their text is what locks and bindings have always held."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model.source import (
    FieldKind,
    FieldSource,
    SchemaKind,
    SchemaSource,
    list_renamed_sources,
    rename_owner,
    split_component_key,
)
from tests.rules.ids import parse_modules

OWNER = "pipeline.model.source"
FIELDS = {
    "title": FieldSource.for_property("title"),
    "property:dc:title": FieldSource.for_property("dc:title"),
    "parameter:id": FieldSource.for_parameter("id"),
    "parameter:id@query": FieldSource.for_parameter("id", "query"),
    "variant:Term": FieldSource.for_variant("Term"),
    "items:": FieldSource(FieldKind.ITEMS),
    "rest:": FieldSource(FieldKind.REST),
    "position:0": FieldSource(FieldKind.POSITION, "0"),
    "gone:year": FieldSource(FieldKind.GONE, "year"),
    "dc:title": FieldSource(FieldKind.UNKNOWN, "dc:title"),
}
SCHEMAS = {
    "query___Term": SchemaSource.for_component("query___Term"),
    "query___Term.value[]": SchemaSource.for_component("query___Term").append_property("value").append_items(),
    "Term{}|text": SchemaSource.for_component("Term").append_values().append_variant("text"),
    "operation:search": SchemaSource.for_operation("search"),
    "operation:search:response:message": SchemaSource.for_operation("search", "response", "message"),
    "wrapper:StringArray": SchemaSource(SchemaKind.WRAPPER, "StringArray"),
    "global:": SchemaSource(SchemaKind.GLOBAL),
    "parameters:Id": SchemaSource.for_section("parameters", "Id"),
    "#/get": SchemaSource.for_component("#").append_part("get"),
}


@pytest.mark.parametrize("text", FIELDS)
def test_a_field_source_has_its_text(text: str) -> None:
    assert FIELDS[text].text == text
    assert FieldSource.parse(text) == FIELDS[text]


@pytest.mark.parametrize("text", SCHEMAS)
def test_a_schema_source_has_its_text(text: str) -> None:
    assert SCHEMAS[text].text == text
    assert SchemaSource.parse(text) == SCHEMAS[text]


@given(st.text())
def test_parsing_loses_nothing(text: str) -> None:
    assert FieldSource.parse(text).text == text
    assert SchemaSource.parse(text).text == text


@given(st.text(), st.text())
def test_two_properties_never_share_a_text_with_each_other_or_a_variant(one: str, other: str) -> None:
    assert (FieldSource.for_property(one).text == FieldSource.for_property(other).text) is (one == other)
    assert FieldSource.for_property(one).text != FieldSource.for_variant(other).text


def test_the_longest_present_owner_keeps_its_source() -> None:
    renamed = {"Term": "Word", "operation:find": "operation:search"}
    present = {"Term.special", "Word", "operation:search"}
    assert rename_owner("Term.value[]", renamed, present) == "Word.value[]"
    assert rename_owner("Term.special.value", renamed, present) == "Term.special.value"
    assert rename_owner("operation:find:body", renamed, present) == "operation:search:body"


def test_a_rename_holds_for_properties_parameters_variants_and_values() -> None:
    pairs = [pair for renames in list_renamed_sources({"old": "new"}) for pair in renames.items()]
    expected = [("old", "new"), ("parameter:old", "parameter:new"), ("variant:old", "variant:new"), ("=old", "=new")]
    assert pairs == expected


@pytest.mark.parametrize(
    ("key", "separator", "parts"),
    [("a.b___Term", "___", ("a.b", "Term")), ("Term", "___", ("", "Term")), ("a.b.Term", ".", ("a.b", "Term"))],
)
def test_a_component_key_is_a_namespace_and_a_name(key: str, separator: str, parts: tuple[str, str]) -> None:
    assert split_component_key(key, separator) == parts


def test_no_other_module_builds_or_parses_the_prefixes() -> None:
    kinds = {*FieldKind, *SchemaKind} - {""}
    prefixes = {f"{kind}:" for kind in kinds}
    # Options of parameters and the errors of the codec begin with the same words.
    foreign = {"postprocess.binding.writer", "pipeline.packages.plugins"}
    found = [
        f"{module}:{node.lineno} {node.value!r}"
        for module, tree in parse_modules()
        if module != OWNER and module not in foreign and not module.startswith("spec2proto_codec")
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value in prefixes or any(node.value.startswith(prefix) and " " not in node.value for prefix in prefixes)
    ]
    assert found == []
