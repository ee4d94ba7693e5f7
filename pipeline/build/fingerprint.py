"""The stamp of the last build: with the same inputs and untouched results there is nothing to do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pipeline.model.paths import ROOT

TOOLS = ("openapi-generator-cli", "buf-bin", "grpcio-tools", "protobuf", "protovalidate")
_CODE = ("pipeline", "preprocess", "postprocess", "templates")


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a build was made from, and what it made: SHA-256 of all inputs together, and of each result."""

    inputs: str
    outputs: dict[str, str]


def tool_versions() -> dict[str, str]:
    """The versions of the tools whose output a build depends on."""
    return {name: _version(name) for name in TOOLS}


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def inputs_digest(parts: Mapping[str, bytes], words: Iterable[str]) -> str:
    """One digest over everything a build depends on: the parts given, our own code, the tools.

    Args:
        parts: contents by what they are: spec, profile, overlays, lock.
        words: the options of the build.
    """
    digest = hashlib.sha256()
    for name, content in sorted(parts.items()):
        digest.update(f"{name} {len(content)} ".encode() + hashlib.sha256(content).digest())
    digest.update("\0".join(words).encode())
    digest.update(json.dumps(tool_versions()).encode())
    for folder in _CODE:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".css", ".js", ".py", ".j2", ".mustache"}:
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def outputs_digest(files: Mapping[str, bytes]) -> dict[str, str]:
    """The SHA-256 of each result."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}


def read_stamp(path: Path) -> Stamp | None:
    """The stamp of the last build; None where there is none or it is damaged, which costs a build and no more."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Stamp(str(data["inputs"]), dict(data["outputs"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_stamp(path: Path, stamp: Stamp) -> None:
    """Write the stamp, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text(json.dumps({"inputs": stamp.inputs, "outputs": stamp.outputs}, indent=1) + "\n", encoding="utf-8")
    part.replace(path)
