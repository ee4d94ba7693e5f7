"""Ask buf: lint (STANDARD) and breaking changes against what the lock remembers."""

from __future__ import annotations

import json
import shutil
import sysconfig
from dataclasses import replace
from pathlib import Path
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.profile.profile import Lint
from postprocess.tools.imports import place_imports
from postprocess.tools.process import run_tool

_FINDINGS = 100
_CODE = "buf/"


def find_buf() -> str:
    """The buf that is installed with this package, else the first on the path.

    Raises:
        Failure: `environment/no-buf`.
    """
    installed = Path(sysconfig.get_path("scripts")) / "buf"
    found = str(installed) if installed.is_file() else shutil.which("buf")
    if found is None:
        raise Failure(
            Diagnostic("environment/no-buf", "buf is not installed", hint="run `make setup`"), ExitCode.ENVIRONMENT
        )
    return found


def lint(folder: Path, excuses: Lint) -> list[Diagnostic]:
    """What buf lint says of the protos in a folder, less what the profile excuses."""
    rules = {
        "use": ["STANDARD"],
        "except": [excuse.rule for excuse in excuses.exceptions if not excuse.paths],
        "ignore_only": {
            excuse.rule: [f"{folder.name}/{path}" for path in excuse.paths]
            for excuse in excuses.exceptions
            if excuse.paths
        },
    }
    return _run(["lint", folder.name], {"lint": rules}, folder, Severity.ERROR)


def breaking(folder: Path, against: FileDescriptorSet, *judged: tuple[str, Severity]) -> list[Diagnostic]:
    """What buf finds that breaks clients of an earlier contract.

    Args:
        folder: the new protos.
        against: the earlier contract.
        judged: categories (FILE, PACKAGE, WIRE_JSON or WIRE), each with the severity of its diagnostics; what breaks
            the rules of several is found as often.
    """
    image = folder / ".against.binpb"
    image.write_bytes(against.SerializeToString(deterministic=True))
    use = sorted({category for category, _ in judged})
    try:
        arguments = ["breaking", folder.name, "--against", str(image.absolute())]
        found = _run(arguments, {"breaking": {"use": use}}, folder, Severity.ERROR)
    finally:
        image.unlink(missing_ok=True)
    rules = _rules() if found else {}
    return [
        replace(diagnostic, severity=severity)
        for category, severity in judged
        for diagnostic in found
        if category in rules[diagnostic.code.removeprefix(_CODE)]
    ]


def _rules() -> dict[str, list[str]]:
    """The categories of each rule about breaking changes."""
    command = [find_buf(), "config", "ls-breaking-rules", "--version", "v2", "--format", "json"]
    listed = run_tool(command).stdout
    return {rule["id"]: rule["categories"] for rule in map(json.loads, listed.splitlines())}


def _run(arguments: list[str], rules: dict[str, Any], folder: Path, severity: Severity) -> list[Diagnostic]:
    """Run buf on the folder as one module of a workspace, so that it resolves imports and does not judge them."""
    imports = place_imports(folder)
    config = {"version": "v2", "modules": [{"path": folder.name, **rules}, {"path": imports}]}
    command = [find_buf(), *arguments, "--config", json.dumps(config), "--error-format", "json"]
    # The user's cache folder may be read-only; buf would stop there, though it keeps nothing of ours.
    # It is done before it fills the memory that it would spend a third of its time on keeping small.
    environ = {"BUF_CACHE_DIR": str((folder.parent / "buf-cache").absolute()), "GOGC": "400"}
    done = run_tool(command, folder.parent, environ)
    if done.returncode not in {0, _FINDINGS}:
        text = done.stderr.strip().splitlines() or [f"code {done.returncode}"]
        raise Failure(
            Diagnostic("buf/failed", f"buf {arguments[0]}: {text[0]}", hint="read what buf says"), ExitCode.REFUSED
        )
    return sorted(_diagnostic(json.loads(line), folder, severity) for line in done.stdout.splitlines() if line.strip())


def _diagnostic(entry: dict[str, Any], folder: Path, severity: Severity) -> Diagnostic:
    path = str(entry.get("path", "")).removeprefix(f"{folder.name}/")
    place = Place(path, entry.get("start_line", 0), entry.get("start_column", 0))
    return Diagnostic(
        f"{_CODE}{entry['type']}", entry["message"], place, "see the rule's page in buf's documentation", severity
    )
