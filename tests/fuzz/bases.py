"""What is mutated: the bundled example, parts of the real specification, small descriptions of the public sample."""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.model.document.located import read_document
from tests.corpus.packages import DIRECTORY, descriptions
from tests.support import ROOT, SPEC, TOOLS

EXAMPLE = ROOT / "examples" / "library" / "openapi.yaml"
LARGEST = 60_000
GROUPS = 3

Document = dict[str, Any]


def plain(value: Any) -> Any:
    """A located value as ordinary dicts and lists, each with an owner of its own."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


@cache
def _read(path: Path) -> Document:
    return plain(read_document(path.read_bytes(), path.name))


@cache
def _sample() -> tuple[Path, ...]:
    """The descriptions of the public sample that are small enough, where it has been downloaded."""
    folder = TOOLS / "corpus" / DIRECTORY
    found = descriptions(folder) if folder.is_dir() else []
    return tuple(path for path in found if path.stat().st_size <= LARGEST)


def base(dice: random.Random) -> tuple[str, Document]:
    """One document to mutate, and its name; a copy that the caller may change. What is not here is the example."""
    kind = dice.choice(["example", "real", "public"])
    if kind == "real" and SPEC.is_file():
        document = _read(SPEC)
        groups = sorted({_group(item) for path in document["paths"].values() for item in path.values()} - {""})
        chosen = dice.sample(groups, GROUPS)
        return f"real: {', '.join(chosen)}", cut(document, chosen)
    if kind == "public" and _sample():
        path = dice.choice(_sample())
        return f"public: {path.parent.relative_to(TOOLS / 'corpus').as_posix()}", copied(_read(path))
    return "example", copied(_read(EXAMPLE))


def copied(document: Document) -> Document:
    """A deep copy; through JSON, as that is what it is."""
    return dict(json.loads(json.dumps(document)))


def _group(operation: Any) -> str:
    return str(operation.get("x-operation-group", "")) if isinstance(operation, dict) else ""


def cut(document: Document, groups: list[str]) -> Document:
    """The part of a specification that some operation groups need."""
    paths = {}
    for path, item in document["paths"].items():
        kept = {key: value for key, value in item.items() if not isinstance(value, dict) or _group(value) in groups}
        if any(isinstance(value, dict) for value in kept.values()):
            paths[path] = kept
    found: dict[str, dict[str, Any]] = {}
    waiting: list[Any] = [paths]
    while waiting:
        for reference in _references(waiting.pop()):
            _, _, kind, key = reference.split("/", 3)
            section = found.setdefault(kind, {})
            if key not in section:
                section[key] = document["components"][kind][key]
                waiting.append(section[key])
    components = {kind: dict(sorted(section.items())) for kind, section in sorted(found.items())}
    return copied({"openapi": document["openapi"], "info": document["info"], "paths": paths, "components": components})


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for item in value.values() for found in _references(item)]
    return [found for item in value for found in _references(item)] if isinstance(value, list) else []
