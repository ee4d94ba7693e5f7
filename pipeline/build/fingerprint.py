"""The stamp of the last build; a build with the same inputs and an unchanged result has nothing to do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from pipeline.model.paths import ROOT

TOOLS = ("openapi-generator-cli", "buf-bin", "grpcio-tools", "protobuf", "protovalidate")
_CODE = ("pipeline", "preprocess", "postprocess", "templates")


@dataclass(frozen=True, slots=True)
class Stamp:
    """The SHA-256 of all inputs of a build together, and of each file of its result."""

    inputs: str
    outputs: dict[str, str]


def list_tool_versions() -> dict[str, str]:
    """Return the versions of the tools that decide the result of a build."""
    return {name: _find_version(name) for name in TOOLS}


def _find_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def digest_inputs(parts: Mapping[str, bytes], words: Iterable[str]) -> str:
    """Return one digest of everything that decides the result of a build, including this code and the tools.

    `parts` are the contents of specification, profile, overlays and lock by name, `words` the options of the build.
    """
    digest = hashlib.sha256()
    for name, content in sorted(parts.items()):
        digest.update(f"{name} {len(content)} ".encode() + hashlib.sha256(content).digest())
    digest.update("\0".join(words).encode())
    digest.update(json.dumps(list_tool_versions()).encode())
    for folder in _CODE:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".css", ".js", ".py", ".j2", ".mustache"}:
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def digest_outputs(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the SHA-256 of each file."""
    return {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}


def read_stamp(path: Path) -> Stamp | None:
    """Read the stamp of the last build; None if it is missing or damaged, and the build then runs."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return Stamp(str(data["inputs"]), dict(data["outputs"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_stamp(path: Path, stamp: Stamp) -> None:
    """Write the stamp atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(asdict(stamp), indent=1) + "\n", encoding="utf-8")
    partial.replace(path)
