"""The review of a change of `protos/`: whoever made it, by build or by hand, it is held against the base branch."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.lock.model import Lock
from pipeline.model.lock.text import parse_lock
from pipeline.model.paths import ROOT
from pipeline.model.profile.load import find_profile, load_profile
from pipeline.model.profile.profile import Profile
from pipeline.publish.git import Git, repository
from pipeline.publish.github import comment
from pipeline.workspace import LOCK, home, protos_folder, read_lock
from postprocess.lock.descriptors import lock_image
from postprocess.lock.kept import Learnt, forgotten, learnt
from postprocess.lock.verify import check_lock
from postprocess.report.markdown import cell
from postprocess.tools.buf import breaking
from postprocess.tools.protoc import compile_folder

REVIEW = "review.md"


@dataclass(frozen=True, slots=True)
class Options:
    """What to review, and where to say so.

    Attributes:
        base: the commit or branch that the change is to be merged into.
        profiles: names or files; all that have a folder in `protos/` when empty.
        pull_request: the number of the pull request to comment on, if any.
        repository: `owner/name` of it.
        api: the address of GitHub's REST API.
        token: for GitHub.
    """

    base: str
    profiles: tuple[str, ...] = ()
    pull_request: int | None = None
    repository: str | None = None
    api: str = "https://api.github.com"
    token: str = ""


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The review of one profile: its folder, whether it changed, what was found, and the whole as Markdown."""

    folder: str
    changed: bool
    diagnostics: tuple[Diagnostic, ...]
    text: str


def review(options: Options) -> list[Reviewed]:
    """Review each profile whose protos differ from those of the base; writes `generated/review.md`.

    Raises:
        Failure: `git/…`, `github/…`, `lock/…`, `proto/compile`; that something breaks is a diagnostic, not a failure.
    """
    git = repository(home(), "origin", options.token)
    names = options.profiles or tuple(_published(home() / "protos"))
    reviewed = [_review(git, load_profile(name), options.base) for name in names]
    changed = [entry for entry in reviewed if entry.changed]
    target = home() / "generated" / REVIEW
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(entry.text for entry in changed) or "No protos changed.\n", encoding="utf-8")
    if options.pull_request is not None and changed:
        if not options.repository or not options.token:
            hint = "set GITHUB_REPOSITORY and GITHUB_TOKEN"
            diagnostic = Diagnostic("pr/no-token", "a comment needs a repository and a token", hint=hint)
            raise Failure(diagnostic, ExitCode.ENVIRONMENT)
        for entry in changed:
            comment(entry.text, entry.folder, options.pull_request, options.repository, options.api, options.token)
    return reviewed


def _published(folder: Path) -> Iterable[str]:
    """The profiles that have a result."""
    for path in sorted(folder.glob(f"*/{LOCK}")):
        yield find_profile(path.parent.name).stem


def _review(git: Git, profile: Profile, base: str) -> Reviewed:
    folder = home() / "protos" / profile.name
    path = folder.resolve().relative_to(git.folder.resolve()).as_posix()
    if not git.run("status", "--porcelain", "--", path) and not git.run("diff", "--stat", base, "--", path):
        return Reviewed(path, changed=False, diagnostics=(), text="")
    before = _lock_at(git, base, f"{path}/{LOCK}")
    now = read_lock(profile, None)
    diagnostics = _diagnostics(profile, before, now)
    return Reviewed(path, True, tuple(diagnostics), _text(path, diagnostics, learnt(before, now) if before else None))


def _lock_at(git: Git, commit: str, path: str) -> Lock | None:
    """The lock as it was; None where there was none."""
    if not git.tree_of(commit, path):
        return None
    return parse_lock(git.run("show", f"{commit}:{path}"), f"{commit}:{path}")


def _diagnostics(profile: Profile, before: Lock | None, now: Lock) -> list[Diagnostic]:
    protos = protos_folder(profile, None)
    diagnostics = check_lock(compile_folder(protos, profile.name), now)
    if before is None:
        return diagnostics
    diagnostics += forgotten(before, now)
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as work:
        folder = Path(work) / "protos"
        for source in sorted(protos.rglob("*.proto")):
            copy = folder / source.relative_to(protos)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
        judged = ((profile.breaking, Severity.ERROR), ("WIRE_JSON", Severity.DANGER))
        diagnostics += breaking(folder, lock_image(before), *judged)
    return sorted(set(diagnostics))


def _text(path: str, diagnostics: list[Diagnostic], change: Learnt | None) -> str:
    environment = Environment(  # noqa: S701 - Markdown; every value goes through `cell`
        loader=FileSystemLoader(ROOT / "templates"), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["cell"] = cell
    return environment.get_template("review.md.j2").render(path=path, diagnostics=diagnostics, change=change, most=100)


def outcome(reviewed: Iterable[Reviewed]) -> tuple[list[str], Failure | None]:
    """The lines to print, and the failure to end with where something breaks."""
    lines, diagnostics = [], []
    for entry in reviewed:
        said = f"{len(entry.diagnostics)} findings" if entry.changed else "as on the base branch"
        lines.append(f"{entry.folder}: {said}")
        diagnostics += [_in(entry.folder, diagnostic) for diagnostic in entry.diagnostics]
    return lines, Failure(diagnostics, ExitCode.REFUSED) if diagnostics else None


def _in(folder: str, diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic with its file as seen from the repository."""
    place = diagnostic.place
    file = f"{folder}/{place.file}" if place.file else folder
    located = Place(file, place.line, place.column, place.pointer)
    return Diagnostic(diagnostic.code, diagnostic.message, located, diagnostic.hint, diagnostic.severity)
