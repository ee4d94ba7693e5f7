"""Mustache has no strict mode: every tag that a template uses must be something that the generator is given."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from pipeline.build.build import Request, fetch, inputs_of, requested_profile
from pipeline.build.stages import run_preprocess
from pipeline.generate.generator import TEMPLATES
from pipeline.generate.template_input import printed, printed_extensions
from pipeline.progress import Progress
from preprocess.canonical.canonical import PLACEHOLDER, canonical_spec
from preprocess.constraints.options import add_options
from preprocess.constraints.plan import plan_options
from preprocess.trace.analysis import trace_schemas
from preprocess.trace.present_elements import collect_locked_elements
from tests.rules.examples import preprocessed
from tests.rules.pages import read_pages

TAG = re.compile(r"\{\{\{?[#^/>]?\s*([\w.-]+)")
GENERATOR_OWN = {"models", "model", "operations", "operation", "."}


@pytest.fixture(scope="module")
def canonical(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    request = Request(profile="example")
    profile = requested_profile(request)
    progress = Progress(Console(quiet=True), quiet=True)
    inputs = inputs_of(request, profile, fetch(request, profile, progress))
    done = run_preprocess(inputs, tmp_path_factory.mktemp("work"), progress)
    analysis = trace_schemas(done.declared, done.contract, collect_locked_elements(done.lock))
    contract = add_options(done.contract, plan_options(done.declared, done.contract, analysis))
    return canonical_spec(contract, done.services, profile, "full")


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
    return canonical_spec(example.built.contract, example.built.services, example.profile, "none")


def test_every_tag_is_supplied(canonical: dict[str, Any]) -> None:
    known = printed_extensions(TEMPLATES.glob("*.mustache"))
    supplied = {*keys(printed(canonical, known)), *keys(printed(constrained(), known))}
    partials = {path.stem for path in TEMPLATES.glob("*.mustache")}
    for path in sorted(TEMPLATES.glob("*.mustache")):
        for tag in sorted(tags(path) - GENERATOR_OWN - partials):
            name = tag.removeprefix("vendorExtensions.")
            past = any(name == f"x-proto-{kind}-{key}" for kind in ("message", "enum", "rpc") for key in WITH_A_PAST)
            assert name in supplied or past, f"{path.name}: {tag}"


def test_what_no_template_prints_is_not_handed_on(canonical: dict[str, Any]) -> None:
    known = printed_extensions(TEMPLATES.glob("*.mustache"))
    slim = printed(canonical, known)
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
