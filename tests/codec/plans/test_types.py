"""The options of the binding as records."""

from __future__ import annotations

import pytest
from spec2proto_codec.plans.types import FieldOptions, parse_options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), FieldOptions()),
        (("null", "optional", "quoted"), FieldOptions(writes_null=True, optional=True, quoted=True)),
        (("entry", "shorthand:value"), FieldOptions(entry=True, shorthand="value")),
        (("base64", "single"), FieldOptions(coding="base64", single=True)),
        (("tag:type=a", "tag:type=b=c"), FieldOptions(tags={"type": frozenset({"a", "b=c"})})),
        (("at:2",), FieldOptions(position=2)),
        (("style:pipeDelimited",), FieldOptions(style="pipeDelimited", explode=False)),
        (("style:spaceDelimited", "explode:true"), FieldOptions(style="spaceDelimited", explode=True)),
        (("explode:false", "in:header"), FieldOptions(explode=False, in_header=True)),
        (("content:application/json",), FieldOptions(holds_json=True)),
        (("content:text/csv", "overloads:index"), FieldOptions()),
    ],
)
def test_options_are_parsed(options: tuple[str, ...], expected: FieldOptions) -> None:
    assert parse_options(options) == expected
