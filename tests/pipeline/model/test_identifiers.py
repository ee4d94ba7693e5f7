"""Spelling: protobuf identifiers from whatever an API calls its things."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.model.identifiers import derive_field_name, derive_message_name, derive_value_name, format_snake


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("_source", "x_source"),
        ("dataAsMap", "data_as_map"),
        ("MLRequestBody", "ml_request_body"),
        ("sha_256", "sha_256"),
        ("Sha256Hash", "sha256_hash"),
        ("Data3DSecure", "data3d_secure"),
        ("IPv4Address", "i_pv4_address"),
        ("x_1", "x_1"),
        ("1xx", "x1xx"),
        ("foo-bar", "foo_bar"),
        ("page.size", "page_size"),
        ("*", "asterisk"),
        ("message", "message"),
        ("café", "cafe"),
        ("ß", "latin_small_letter_sharp_s"),
        ("@timestamp", "timestamp"),
        ("x" * 5000, "x" * 120),
        ("part " * 100, "_".join(["part"] * 24)),
        ("日本", "cjk_unified_ideograph_65e5_cjk_unified_ideograph_672c"),
        ("Здр", "cyrillic_capital_letter_ze_cyrillic_small_letter_de_cyrillic_small_letter_er"),
        ("a日", "a_cjk_unified_ideograph_65e5"),
        ("\u202egpj.exe", "right_to_left_override_gpj_exe"),
        ("\x00", "u0000"),
        ("../../etc/passwd", "etc_passwd"),
    ],
)
def test_field_names(text: str, name: str) -> None:
    assert derive_field_name(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("create_pit", "CreatePit"),
        ("ml.predict_model_stream", "MlPredictModelStream"),
        ("MLStatus", "MLStatus"),
        ("1xx", "X1xx"),
    ],
)
def test_message_names(text: str, name: str) -> None:
    assert derive_message_name(text) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("wait_for", "KIND_WAIT_FOR"),
        ("2nd-hand", "KIND_2ND_HAND"),
        ("*", "KIND_ASTERISK"),
        ("", "KIND_EMPTY"),
        (None, "KIND_NULL"),
    ],
)
def test_value_names(text: str | None, name: str) -> None:
    assert derive_value_name("Kind", text) == name


@given(st.text(max_size=40))
def test_every_text_gives_an_identifier(text: str) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", derive_field_name(text))
    assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", derive_message_name(text))
    assert re.fullmatch(r"KIND_[A-Z0-9_]+", derive_value_name("Kind", text))


@given(st.text(alphabet="abcXYZ019_", max_size=20))
def test_snake_case_is_stable(text: str) -> None:
    assert format_snake(format_snake(text)) == format_snake(text)
