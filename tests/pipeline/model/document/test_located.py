"""What a scalar of a YAML document is: the core schema of YAML 1.2, as OpenAPI asks for."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.model.document.located import read_document


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("no", "no"),
        ("on", "on"),
        ("12", 12),
        ("-7", -7),
        ("0x1F", 31),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("010", 10),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("1E-2", 0.01),
        ("12e4567", "12e4567"),
        ("2024-05-01", "2024-05-01"),
        ("'1e3'", "1e3"),
        ("~", None),
    ],
)
def test_a_scalar_is_what_yaml_1_2_says(text: str, value: Any) -> None:
    found = read_document(f"key: {text}\n", "document.yaml")["key"]
    assert found == value
    assert type(found) is type(value)
