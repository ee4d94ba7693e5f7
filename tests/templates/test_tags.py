"""Mustache has no strict mode: every tag that a template uses must be something that the generator is given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pipeline.build.inputs import read_inputs
from pipeline.build.request import Request, fetch_requested_spec, requested_profile
from pipeline.generate.generator import TEMPLATES
from pipeline.generate.template_input import find_printed_extensions, select_printed_values
from pipeline.model.document.located import read_document
from pipeline.progress import Progress
from preprocess.canonical.canonical import PLACEHOLDER, build_canonical_spec
from preprocess.passes import preprocess
from tests.rules.examples import preprocessed
from tests.rules.pages import read_pages

TAG = re.compile(r"\{\{\{?[#^/>]?\s*([\w.-]+)")
GENERATOR_OWN = {"models", "model", "operations", "operation", "."}


@pytest.fixture(scope="module")
def canonical() -> dict[str, Any]:
    request = Request(profile="example")
    profile = requested_profile(request)
    progress = Progress(Console(quiet=True), quiet=True)
    inputs = read_inputs(request, profile, fetch_requested_spec(request, profile, progress))
    document = read_document(inputs.spec.content, "spec.yaml")
    constrained_profile = profile.model_copy(update={"constraints": "protovalidate"})
    result = preprocess(document, constrained_profile, inputs.lock, [])
    return build_canonical_spec(result.contract, result.services, profile, "full")


def keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from keys(item)


def tags(path: Path) -> set[str]:
    return set(TAG.findall(path.read_text()))


# Only contracts with a past have these; the OpenSearch contract has them all.
WITH_A_PAST = {"reserved-numbers", "reserved-names", "deprecated"}


def constrained() -> dict[str, Any]:
    """The canonical spec of a page about options of protovalidate, which the example does not ask for."""
    example = preprocessed(next(page for page in read_pages() if page.stem == "validate-properties"))
    return build_canonical_spec(example.built.contract, example.built.services, example.profile, "none")


def test_every_tag_is_supplied(canonical: dict[str, Any]) -> None:
    known = find_printed_extensions(TEMPLATES.glob("*.mustache"))
    supplied = {*keys(select_printed_values(canonical, known)), *keys(select_printed_values(constrained(), known))}
    partials = {path.stem for path in TEMPLATES.glob("*.mustache")}
    for path in sorted(TEMPLATES.glob("*.mustache")):
        for tag in sorted(tags(path) - GENERATOR_OWN - partials):
            name = tag.removeprefix("vendorExtensions.")
            past = any(name == f"x-proto-{kind}-{key}" for kind in ("message", "enum", "rpc") for key in WITH_A_PAST)
            assert name in supplied or past, f"{path.name}: {tag}"


def test_what_no_template_prints_is_not_handed_on(canonical: dict[str, Any]) -> None:
    known = find_printed_extensions(TEMPLATES.glob("*.mustache"))
    slim = select_printed_values(canonical, known)
    assert "x-proto-field-number" in json.dumps(slim)
    assert "x-proto-field-places" not in json.dumps(slim)
    assert {key for key in keys(slim) if key.startswith("x-proto-")} <= known
    assert {key for schema in slim["components"]["schemas"].values() for key in schema.get("properties", {})} == {
        PLACEHOLDER
    }


def test_references_and_properties_never_share_an_extension(canonical: dict[str, Any]) -> None:
    schemas = canonical["components"]["schemas"].values()
    on_schemas = {key for schema in schemas for key in schema if key.startswith("x-")}
    on_fields = {
        key
        for schema in schemas
        for item in schema.get("properties", {}).values()
        for key in item
        if key.startswith("x-")
    }
    assert on_schemas
    assert on_fields
    assert not on_schemas & on_fields
