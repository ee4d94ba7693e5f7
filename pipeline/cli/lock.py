"""`spec2proto lock`: import, check, show and merge the lock of a profile."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.console import print_lines
from pipeline.cli.descriptors import report_unwritable
from pipeline.cli.options import DEFAULT_PROFILE, OutOption, ProfileOption
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, suggest_names
from pipeline.model.lock.model import Lock
from pipeline.model.lock.text import format_lock
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.publish.lock_resolve import resolve_lock
from pipeline.workspace import BASELINES, locate_protos, read_lock
from postprocess.lock.importer import import_releases
from postprocess.lock.releases import read_descriptors
from postprocess.lock.verify import check_lock
from postprocess.tools.protoc import compile_folder


def import_lock(
    sources: Annotated[list[str], typer.Argument(help="Releases, oldest first: files, folders, or one package name.")],
    profile: ProfileOption = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write the lock.")] = None,
) -> None:
    """Make the baseline lock of a profile from everything that was ever published."""
    loaded = load_profile(profile or DEFAULT_PROFILE)
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as folder:
        paths = [Path(source) for source in sources]
        if len(sources) == 1 and not paths[0].exists():
            paths = _download_releases(sources[0], Path(folder))
        releases = [(_label(path), read_descriptors(path)) for path in paths]
    package = loaded.baseline.package if loaded.baseline else paths[-1].name
    lock = import_releases(releases, loaded.package, f"{package} {releases[-1][0]}")
    target = output or BASELINES / f"{loaded.name}.yaml"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(format_lock(lock), encoding="utf-8")
    except OSError as error:
        raise report_unwritable(target, error) from None
    typer.echo(f"{format_path(target)}: {len(releases)} releases, {_count_numbers(lock)}")


def check(profile: ProfileOption = None, out: OutOption = None) -> None:
    """Check that the protos of a profile are what its lock says."""
    loaded = load_profile(profile or DEFAULT_PROFILE)
    lock, folder = read_lock(loaded, out), locate_protos(loaded, out)
    diagnostics = check_lock(compile_folder(folder, loaded.name), lock)
    if diagnostics:
        raise Failure(diagnostics, ExitCode.REFUSED)
    typer.echo(f"{format_path(folder)} is what its lock says: {_count_numbers(lock)}")


def resolve(
    profile: ProfileOption = None,
    out: OutOption = None,
    published: Annotated[
        str | None, typer.Option(help="The side whose numbers stay, ours or theirs; else what is merged in or onto.")
    ] = None,
    files: Annotated[
        list[Path] | None, typer.Argument(help="Base, ours and theirs, from the index of git if left out.")
    ] = None,
) -> None:
    """Merge a lock that is in conflict: the published side stays, the other side's new numbers follow."""
    print_lines(resolve_lock(profile or DEFAULT_PROFILE, out, files or [], published))


def show(message: Annotated[str, typer.Argument(help="A message or an enum.")], profile: ProfileOption = None) -> None:
    """Show what the lock remembers of a message or an enum."""
    print_lines(_lock_lines(read_lock(load_profile(profile or DEFAULT_PROFILE), None), message))


def _count_numbers(lock: Lock) -> str:
    numbers = sum(len(message.fields) for message in lock.messages.values())
    return f"{len(lock.messages)} messages, {numbers} numbers"


def _lock_lines(lock: Lock, element: str) -> Iterator[str]:
    """Yield the lines of a message or an enum as they stand in the lock file."""
    messages = {key: entry for key, entry in lock.messages.items() if key == element}
    enums = {key: entry for key, entry in lock.enums.items() if key == element}
    if not messages and not enums:
        hint = suggest_names(element, [*lock.messages, *lock.enums], "name a message or an enum")
        raise Failure(Diagnostic("lock/unknown", f"the lock knows no message or enum `{element}`", hint=hint))
    title = f"  {element}:"
    lines = format_lock(Lock(version=1, package=lock.package, messages=messages, enums=enums)).splitlines()
    yield title.strip()
    for line in lines[lines.index(title) + 1 :]:
        if not line.startswith("    "):
            return
        yield line[2:]


def _label(path: Path) -> str:
    """Return the label of a release: the version of a wheel, else the name of the file or folder."""
    parts = path.name.split("-")
    if path.suffix == ".whl" and len(parts) > 1:
        return parts[1]
    return path.stem if path.is_file() else path.name


def _download_releases(package: str, folder: Path) -> list[Path]:
    """Download the wheels of all releases of a package since 1.0.0, and return them oldest first."""
    output = _run_pip("index", "versions", package)
    line = next((text for text in output.splitlines() if text.startswith("Available versions:")), "")
    texts = line.partition(":")[2].replace(" ", "").split(",")
    versions = [tuple(map(int, text.split("."))) for text in texts if text.replace(".", "").isdigit()]
    releases = [".".join(map(str, numbers)) for numbers in sorted(versions) if numbers >= (1, 0, 0)]
    for release in releases:
        _run_pip("download", "--no-deps", "--dest", str(folder), f"{package}=={release}")
    return sorted(folder.glob("*.whl"), key=lambda path: releases.index(_label(path)))


def _run_pip(*arguments: str) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if finished.returncode == 0:
        return finished.stdout
    errors = finished.stderr.strip().splitlines() or ["pip failed"]
    message, hint = f"pip {arguments[0]}: {errors[-1]}", "name files or folders instead"
    raise Failure(Diagnostic("environment/no-package", message, hint=hint), ExitCode.ENVIRONMENT)
