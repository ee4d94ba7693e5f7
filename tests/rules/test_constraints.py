"""The table of the page `constraints` is that of the code, and has every keyword that the standards have."""

from __future__ import annotations

import pytest

from pipeline.model.keywords import KEYWORDS, Keyword, Use
from tests.rules.pages import FOLDER

HEAD = "| keyword | expressed by | option | carried by | else |\n| --- | --- | --- | --- | --- |\n"
# The keywords of each vocabulary, in the order of its specification.
VOCABULARIES = {
    "JSON Schema core 2020-12, section 8": (
        "$schema $vocabulary $id $ref $dynamicRef $anchor $dynamicAnchor $defs $comment",
    ),
    "JSON Schema core 2020-12, sections 10 and 11": (
        "allOf anyOf oneOf not if then else dependentSchemas",
        "prefixItems items contains properties patternProperties additionalProperties propertyNames",
        "unevaluatedItems unevaluatedProperties",
    ),
    "JSON Schema validation 2020-12, sections 6 to 9": (
        "type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum",
        "maxLength minLength pattern maxItems minItems uniqueItems maxContains minContains",
        "maxProperties minProperties required dependentRequired format",
        "contentEncoding contentMediaType contentSchema",
        "title description default deprecated readOnly writeOnly examples",
    ),
    "OpenAPI 3.0.3, schema object": ("nullable discriminator xml externalDocs example",),
    "OpenAPI 3.1.0, sections 4.8.12 and 4.8.17": ("allowEmptyValue headers links",),
}


def rows() -> str:
    """The rows of the table: one for the keywords that share a fate."""
    grouped: dict[Keyword, list[str]] = {}
    for name, keyword in KEYWORDS.items():
        if keyword.use is Use.CONSTRAINT:
            grouped.setdefault(keyword, []).append(f"`{name}`")
    return "".join(
        f"| {', '.join(names)} | {keyword.expressed} | {keyword.option} | {keyword.carried} | {keyword.reason} |\n"
        for keyword, names in grouped.items()
    )


def test_the_page_shows_the_table() -> None:
    text = (FOLDER / "types" / "constraints.md").read_text(encoding="utf-8")
    assert text.partition(HEAD)[2].partition("\n\n")[0] + "\n" == rows()


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_every_keyword_of_a_vocabulary_is_in_the_table(vocabulary: str) -> None:
    names = " ".join(VOCABULARIES[vocabulary]).split()
    assert [name for name in names if name not in KEYWORDS] == []


def test_a_constraint_has_a_reason_and_nothing_else_has() -> None:
    constraints = {name for name, keyword in KEYWORDS.items() if keyword.use is Use.CONSTRAINT}
    assert {name for name, keyword in KEYWORDS.items() if keyword.reason} == constraints
    assert not any(KEYWORDS[name].expressed or KEYWORDS[name].carried for name in KEYWORDS.keys() - constraints)
