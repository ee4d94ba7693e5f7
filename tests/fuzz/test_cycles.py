"""References in circles through every pair of keywords, and schemas nested to the limit: protos or a diagnostic."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.model.document.yaml_nodes import MAX_DEPTH
from tests.fuzz.trial import Made, attempt
from tests.fuzz.whole import finished, printed_by_the_generator
from tests.fuzz.words import DEEP, WIDE

CONDITIONS: list[Callable[[Any], Any]] = [
    lambda item: {"type": "object", "if": {}, "then": item, "else": item},
    lambda item: {"type": "object", "dependentSchemas": {"a": item, "b": item}},
    lambda item: {"type": "object", "patternProperties": {"^a": item, "b$": item}, "unevaluatedProperties": item},
]
WRAPPERS: list[Callable[[Any], Any]] = [lambda item: item, *DEEP, *WIDE, *CONDITIONS]
REFUSALS = {"spec/reference-cycle", "spec/too-deep"}
RUNGS = 40
PRINTED = 4
"""Every so many go through the generator and the checks as well."""
TO_THE_LIMIT = (MAX_DEPTH - 12) // 4


def reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def document(schemas: dict[str, Any]) -> dict[str, Any]:
    """A specification whose answer is the schema `A`."""
    answer = {"200": {"description": "it", "content": {"application/json": {"schema": reference("A")}}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Circles", "version": "1"},
        "paths": {"/it": {"get": {"operationId": "it", "responses": answer}}},
        "components": {"schemas": schemas},
    }


def circles() -> dict[str, dict[str, Any]]:
    """A circle of two schemas for each pair of keywords, one of one schema for each keyword."""
    found = {}
    for first, wrap in enumerate(WRAPPERS):
        found[f"{first}"] = document({"A": wrap(reference("A"))})
        for second, other in enumerate(WRAPPERS):
            found[f"{first} and {second}"] = document({"A": wrap(reference("B")), "B": other(reference("A"))})
    return found


def towers() -> dict[str, dict[str, Any]]:
    """A schema in itself, as deep as a document may be, for each keyword that holds one schema."""
    found = {}
    for index, wrap in enumerate(DEEP):
        schema: Any = {"type": "string"}
        for _ in range(TO_THE_LIMIT):
            schema = wrap(schema)
        found[f"{index}"] = document({"A": schema})
    return found


def ladders() -> dict[str, dict[str, Any]]:
    """Schemas each of which leads to the next one twice, so that there are a trillion ways to the last one."""
    steps: dict[str, Callable[[Any], Any]] = {
        "allOf": lambda item: {"allOf": [item, item]},
        "oneOf": lambda item: {"oneOf": [item, item]},
        "anyOf": lambda item: {"anyOf": [item, {"type": "array", "items": item}]},
        "both": WIDE[1],
        "properties": lambda item: {"type": "object", "properties": {"a": item, "b": item}, "required": ["a"]},
        "around": WIDE[0],
        "items": lambda item: {"type": "array", "prefixItems": [item, item], "items": item},
        "values": lambda item: {"type": "object", "properties": {"a": item}, "additionalProperties": item},
        "conditions": lambda item: {"allOf": [item], "if": {}, "then": item, "else": item},
    }
    found = {}
    for name, step in steps.items():
        schemas = {f"S{number}": step(reference(f"S{number + 1}")) for number in range(RUNGS)}
        last = {"type": "object", "properties": {"last": {"type": "string"}}}
        found[name] = document({"A": reference("S0"), **schemas, f"S{RUNGS}": last})
    return found


@pytest.mark.parametrize("make", [circles, towers, ladders])
def test_no_shape_ends_in_a_traceback(make: Callable[[], dict[str, dict[str, Any]]], tmp_path: Path) -> None:
    made: dict[int, Made] = {}
    for number, (name, found) in enumerate(make().items()):
        trial = attempt(found)
        assert not trial.fault, f"{name}: {trial.fault}"
        assert set(trial.codes) <= REFUSALS, f"{name}: {trial.codes}"
        if trial.made is not None and number % PRINTED == 0:
            made[number] = trial.made
    texts = printed_by_the_generator(made, tmp_path)
    trials = {number: finished(item, texts[number], tmp_path / f"{number}.protos") for number, item in made.items()}

    assert {number: trial.fault for number, trial in trials.items() if trial.fault} == {}
    assert made, inspect.getdoc(make)
