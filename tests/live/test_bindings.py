"""The examples that come with the packages, run against a real server."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.packages.plugins import LANGUAGES
from tests.bindings.projects import java_path_of, project, python_of, run

from .server import HOST, Server

pytestmark = pytest.mark.live
PROFILE = "opensearch"


def python(port: int) -> tuple[list[str], Path]:
    folder = project(PROFILE, "python")
    return [str(python_of(PROFILE)), "examples/search_and_bulk.py", f"{HOST}:{port}"], folder


def java(port: int) -> tuple[list[str], Path]:
    return ["java", "-cp", java_path_of(PROFILE), "SearchAndBulk", f"{HOST}:{port}"], project(PROFILE, "java")


def go(port: int) -> tuple[list[str], Path]:
    return ["go", "run", "./example", f"{HOST}:{port}"], project(PROFILE, "go")


def typescript(port: int) -> tuple[list[str], Path]:
    folder = project(PROFILE, "typescript")
    return ["node", "dist/example/search_and_bulk.js", f"http://{HOST}:{port}"], folder


RUNS: dict[str, Callable[[int], tuple[list[str], Path]]] = {
    "python": python,
    "java": java,
    "go": go,
    "typescript": typescript,
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_finds_what_it_stored(server: Server, language: str) -> None:
    command, folder = RUNS[language](server.ports.grpc)
    try:
        lines = run([*command], folder).splitlines()
    finally:
        server.rest("DELETE", f"/bindings-{language}?ignore_unavailable=true")
    assert lines[0] == "stored 3 documents, errors: false".replace(
        "false", "False" if language == "python" else "false"
    )
    hits = dict(line.removeprefix("hit ").split(": ", 1) for line in lines[1:])
    texts = {key: json.loads(text)["text"] if text.startswith("{") else text for key, text in hits.items()}
    assert texts == {"0": "a river in the north", "1": "a road along the river"}
