"""What the commands do beside building: each returns lines or writes one file."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from rich.console import Console

from pipeline.build.build import Outcome, Request, fetch, inputs_of, requested_profile
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.lock.model import Lock
from pipeline.model.lock.text import format_lock
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.progress import Progress
from pipeline.workspace import BASELINES, protos_folder, read_lock, work_folder


def summary(outcome: Outcome, request: Request, *, verbose: bool) -> Iterable[str]:
    """The last lines of a build: what was built from, and what became of it."""
    spec = outcome.spec
    yield f"spec        {spec.origin} ({spec.how}), SHA-256 {spec.sha256}"
    where = format_path(outcome.target)
    if not outcome.changed:
        yield f"unchanged   {where} is what a build makes"
        return
    yield f"written     {where}: {len(outcome.changed)} files changed"
    if verbose:
        yield from (f"            {name}" for name in outcome.changed)
    yield f"report      {format_path(work_folder(requested_profile(request)) / 'report.md')}"


def print_report(outcome: Outcome, request: Request, console: Console) -> None:
    """The report on the terminal: of this build, or of the one that made what is still there."""
    text = outcome.report
    if not text:
        path = work_folder(requested_profile(request)) / "report.md"
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if console.is_terminal:
        from rich.markdown import Markdown  # noqa: PLC0415 - large, and needed only here

        console.print(Markdown(text))
    else:
        console.print(text, markup=False, highlight=False, soft_wrap=True)


def write_descriptors(name: str, out: Path | None, output: Path) -> None:
    """Write the descriptors of a profile's protos to a file.

    Raises:
        Failure: as `compile_folder`; `output/not-written`.
    """
    from postprocess.tools.protoc import compile_folder  # noqa: PLC0415 - other commands need none of it

    profile = load_profile(name)
    content = compile_folder(protos_folder(profile, out), profile.name).SerializeToString(deterministic=True)
    try:
        output.write_bytes(content)
    except OSError as error:
        raise Failure(_not_written(output, error), ExitCode.ENVIRONMENT) from None


def _not_written(path: Path, error: OSError) -> Diagnostic:
    hint = "name a file in a folder that exists and can be written to"
    return Diagnostic("output/not-written", f"cannot write: {error.strerror}", Place(str(path)), hint)


def check_lock_of(name: str, out: Path | None) -> str:
    """Check that a profile's protos are what its lock says.

    Raises:
        Failure: `lock/differs` (1) and everything that `compile_folder` raises.
    """
    from postprocess.lock.verify import check_lock  # noqa: PLC0415 - as above
    from postprocess.tools.protoc import compile_folder  # noqa: PLC0415 - as above

    profile = load_profile(name)
    lock = read_lock(profile, out)
    diagnostics = check_lock(compile_folder(protos_folder(profile, out), profile.name), lock)
    if diagnostics:
        raise Failure(diagnostics, ExitCode.REFUSED)
    fields = sum(len(message.fields) for message in lock.messages.values())
    where = format_path(protos_folder(profile, out))
    return f"{where} is what its lock says: {len(lock.messages)} messages, {fields} numbers"


def lock_lines(name: str, element: str) -> Iterable[str]:
    """What the lock remembers of a message or an enum, as it stands in the file.

    Raises:
        Failure: `lock/unknown`.
    """
    lock = read_lock(load_profile(name), None)
    messages = {key: entry for key, entry in lock.messages.items() if key == element}
    enums = {key: entry for key, entry in lock.enums.items() if key == element}
    if not messages and not enums:
        near = get_close_matches(element, [*lock.messages, *lock.enums], n=3)
        hint = f"did you mean {' or '.join(f'`{text}`' for text in near)}?" if near else "name a message or an enum"
        raise Failure(Diagnostic("lock/unknown", f"the lock knows no message or enum `{element}`", hint=hint))
    text = format_lock(Lock(version=1, package=lock.package, messages=messages, enums=enums))
    wanted = f"  {element}:"
    lines = text.splitlines()
    start = lines.index(wanted)
    yield wanted.strip()
    for line in lines[start + 1 :]:
        if not line.startswith("    "):
            return
        yield line[2:]


def import_lock(name: str, sources: list[str], output: Path | None) -> str:
    """Make the baseline lock of a profile.

    Args:
        name: the profile.
        sources: releases, oldest first; or the name of a package, all whose releases since 1.0.0 are downloaded.
        output: where to write it; the profile's baseline when None.

    Raises:
        Failure: `descriptors/…`, `environment/no-network`, `output/not-written`.
    """
    from postprocess.lock.importer import import_releases  # noqa: PLC0415 - as above
    from postprocess.lock.releases import read_descriptors  # noqa: PLC0415 - as above

    profile = load_profile(name)
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as folder:
        paths = [Path(source) for source in sources]
        if len(sources) == 1 and not paths[0].exists():
            paths = _download(sources[0], Path(folder))
        releases = [(_label(path), read_descriptors(path)) for path in paths]
    package = profile.baseline.package if profile.baseline else paths[-1].name
    lock = import_releases(releases, profile.package, f"{package} {releases[-1][0]}")
    target = output or BASELINES / f"{profile.name}.yaml"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(format_lock(lock), encoding="utf-8")
    except OSError as error:
        raise Failure(_not_written(target, error), ExitCode.ENVIRONMENT) from None
    numbers = sum(len(message.fields) for message in lock.messages.values())
    return f"{format_path(target)}: {len(releases)} releases, {len(lock.messages)} messages, {numbers} numbers"


def _label(path: Path) -> str:
    """The label of a release: the version of a wheel, else the file's name."""
    parts = path.name.split("-")
    return parts[1] if path.suffix == ".whl" and len(parts) > 1 else path.stem if path.is_file() else path.name


def _download(package: str, folder: Path) -> list[Path]:
    """The wheels of all releases of a package since 1.0.0, oldest first."""
    listed = _pip("index", "versions", package)
    line = next((text for text in listed.splitlines() if text.startswith("Available versions:")), "")
    versions = [
        tuple(int(part) for part in text.split("."))
        for text in line.partition(":")[2].replace(" ", "").split(",")
        if text.replace(".", "").isdigit()
    ]
    wanted = [".".join(map(str, numbers)) for numbers in sorted(versions) if numbers >= (1, 0, 0)]
    for version in wanted:
        _pip("download", "--no-deps", "--dest", str(folder), f"{package}=={version}")
    return sorted(folder.glob("*.whl"), key=lambda path: wanted.index(_label(path)))


def _pip(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    if done.returncode == 0:
        return done.stdout
    told = done.stderr.strip().splitlines() or ["pip failed"]
    hint = "name files or folders instead"
    raise Failure(
        Diagnostic("environment/no-package", f"pip {arguments[0]}: {told[-1]}", hint=hint), ExitCode.ENVIRONMENT
    )


def explain_lines(request: Request, name: str) -> Iterable[str]:
    """Where something comes from, which rules made it, its number's history, and its JSON.

    Raises:
        Failure: `explain/unknown`, and everything that preprocess raises.
    """
    from pipeline.build.stages import run_preprocess  # noqa: PLC0415 - heavy
    from pipeline.explain.explain import explain  # noqa: PLC0415 - heavy

    profile = requested_profile(request)
    progress = Progress(Console(stderr=True), quiet=True)
    inputs = inputs_of(request, profile, fetch(request, profile, progress))
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as work:
        done = run_preprocess(inputs, Path(work), progress)
    return explain(name, done.contract, done.lock)
