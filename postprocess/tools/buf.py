"""Run buf: lint, and the search for breaking changes since the lock that was published."""

from __future__ import annotations

import json
import shutil
import sysconfig
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.profile.profile import Lint
from postprocess.tools.imports import write_imports
from postprocess.tools.process import run_tool

# The exit code of buf when it has something to report (buf.build/docs/reference/cli).
_FOUND_SOMETHING = 100
_CODE = "buf/"


def find_buf() -> str:
    """Return the path of buf: the one installed with this package, else the first on the path.

    Raises:
        Failure: `environment/no-buf`.
    """
    installed = Path(sysconfig.get_path("scripts")) / "buf"
    program = str(installed) if installed.is_file() else shutil.which("buf")
    if program is None:
        diagnostic = Diagnostic("environment/no-buf", "buf is not installed", hint="run `make setup`")
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    return program


def lint(folder: Path, config: Lint) -> list[Diagnostic]:
    """Return what `buf lint` (STANDARD) reports of the protos in a folder, without the exceptions of the profile."""
    paths = {item.rule: [f"{folder.name}/{path}" for path in item.paths] for item in config.exceptions if item.paths}
    excepted = [item.rule for item in config.exceptions if not item.paths]
    rules = {"use": ["STANDARD"], "except": excepted, "ignore_only": paths}
    return sorted(_parse_line(line, folder) for line in _run_buf(["lint", folder.name], {"lint": rules}, folder))


def breaking_policy(category: str) -> tuple[tuple[str, Severity], ...]:
    """Return the categories of buf that a contract must satisfy, each with the severity of its breaking changes.

    The profile chooses the category for generated code, FILE or PACKAGE; WIRE_JSON always holds.
    """
    return (category, Severity.ERROR), ("WIRE_JSON", Severity.DANGER)


def find_breaking_changes(folder: Path, against: FileDescriptorSet, *policy: tuple[str, Severity]) -> list[Diagnostic]:
    """Return the breaking changes of the protos in a folder since an earlier contract.

    The policy comes from `breaking_policy`. A change that violates a rule of several categories is returned for each.
    """
    image = folder / ".against.binpb"
    image.write_bytes(against.SerializeToString(deterministic=True))
    categories = sorted({category for category, _ in policy})
    try:
        arguments = ["breaking", folder.name, "--against", str(image.absolute())]
        lines = _run_buf(arguments, {"breaking": {"use": categories}}, folder)
    finally:
        image.unlink(missing_ok=True)
    changes = sorted(_parse_line(line, folder) for line in lines)
    categories_of = _read_rule_categories() if changes else {}
    return [
        replace(change, severity=severity)
        for category, severity in policy
        for change in changes
        if category in categories_of[change.code.removeprefix(_CODE)]
    ]


def _read_rule_categories() -> dict[str, list[str]]:
    command = [find_buf(), "config", "ls-breaking-rules", "--version", "v2", "--format", "json"]
    rules = map(json.loads, run_tool(command).stdout.splitlines())
    return {rule["id"]: rule["categories"] for rule in rules}


def _run_buf(arguments: list[str], rules: dict[str, Any], folder: Path) -> Iterator[str]:
    """Run buf in a workspace of two modules, the protos and their imports, and return its lines of JSON.

    The rules hold for the protos alone.
    """
    imports = write_imports(folder)
    config = {"version": "v2", "modules": [{"path": folder.name, **rules}, {"path": imports}]}
    command = [find_buf(), *arguments, "--config", json.dumps(config), "--error-format", "json"]
    # The user's cache folder may be read-only; buf would fail although it caches nothing of ours.
    # GOGC=400: a third of buf's time went into garbage collection of a small heap.
    environ = {"BUF_CACHE_DIR": str((folder.parent / "buf-cache").absolute()), "GOGC": "400"}
    process = run_tool(command, folder.parent, environ)
    if process.returncode not in {0, _FOUND_SOMETHING}:
        lines = process.stderr.strip().splitlines() or [f"code {process.returncode}"]
        diagnostic = Diagnostic("buf/failed", f"buf {arguments[0]}: {lines[0]}", hint="read the message of buf")
        raise Failure(diagnostic, ExitCode.REFUSED)
    return (line for line in process.stdout.splitlines() if line.strip())


def _parse_line(line: str, folder: Path) -> Diagnostic:
    entry = json.loads(line)
    path = str(entry.get("path", "")).removeprefix(f"{folder.name}/")
    place = Place(path, entry.get("start_line", 0), entry.get("start_column", 0))
    return Diagnostic(f"{_CODE}{entry['type']}", entry["message"], place, "see the rule's page in buf's documentation")
