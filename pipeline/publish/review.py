"""Review a change of `protos/`, by build or by hand, against the base branch, and comment on the pull request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure
from pipeline.model.paths import ROOT
from pipeline.model.profile.load import find_profile, load_profile
from pipeline.model.profile.profile import Profile
from pipeline.publish.gate import find_errors, load_result, read_earlier_locks
from pipeline.publish.git import Git, open_repository
from pipeline.publish.github import write_comment
from pipeline.workspace import LOCK, find_home
from postprocess.lock.compatibility import LockDiff, diff_locks
from postprocess.report.markdown import escape_cell
from postprocess.tools.templates import load_templates

REVIEW = "review.md"


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command `review`.

    Attributes:
        base: the commit or branch that the change is to be merged into.
        profiles: names or files; all that have a folder in `protos/` if empty.
        pull_request: the number of the pull request to comment on, if any.
        repository: its repository, `owner/name`.
        api: the URL of GitHub's REST API.
        token: for GitHub.
    """

    base: str
    profiles: tuple[str, ...] = ()
    pull_request: int | None = None
    repository: str | None = None
    api: str = "https://api.github.com"
    token: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """The review of one profile.

    Attributes:
        folder: the folder of its protos, relative to the repository.
        changed: whether it differs from the base.
        diagnostics: what refuses the change.
        markdown: the review as Markdown.
    """

    folder: str
    changed: bool
    diagnostics: tuple[Diagnostic, ...]
    markdown: str


def review_changes(options: Options) -> list[Review]:
    """Review each profile whose protos differ from the base, and write `generated/review.md`.

    Raises:
        Failure: `git/…`, `github/…`, `lock/…`, `proto/compile`. Breaking changes are diagnostics of the review instead.
    """
    git = open_repository(find_home(), "origin", options.token)
    names = options.profiles or _list_profiles(git, options.base)
    reviews = [_review_profile(git, load_profile(name), options.base) for name in names]
    changed = [review for review in reviews if review.changed]
    target = find_home() / "generated" / REVIEW
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(review.markdown for review in changed) or "No protos changed.\n", encoding="utf-8")
    if options.pull_request is not None and changed:
        _comment_on_pull_request(options.pull_request, changed, options)
    return reviews


def _list_profiles(git: Git, base: str) -> list[str]:
    """Return the profiles that have a lock, here or on the base branch: a deleted lock must be refused."""
    protos = (find_home() / "protos").resolve()
    on_base = git.run("ls-tree", "-r", "--name-only", base, "--", protos.relative_to(git.folder.resolve()).as_posix())
    locks = [*protos.glob(f"*/{LOCK}"), *(git.folder.resolve() / name for name in on_base.splitlines())]
    folders = {path.parent.name for path in locks if path.name == LOCK and path.parent.parent == protos}
    return [find_profile(name).stem for name in sorted(folders)]


def _comment_on_pull_request(number: int, reviews: Iterable[Review], options: Options) -> None:
    if not options.repository or not options.token:
        hint = "set GITHUB_REPOSITORY and GITHUB_TOKEN"
        diagnostic = Diagnostic("pr/no-token", "a comment needs a repository and a token", hint=hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    for review in reviews:
        write_comment(review.markdown, review.folder, number, options.repository, options.api, options.token)


def _review_profile(git: Git, profile: Profile, base: str) -> Review:
    folder = find_home() / "protos" / profile.name
    path = folder.resolve().relative_to(git.folder.resolve()).as_posix()
    if not git.run("status", "--porcelain", "--", path) and not git.run("diff", "--stat", base, "--", path):
        return Review(path, changed=False, diagnostics=(), markdown="")
    result = load_result(profile, None)
    earlier = list(read_earlier_locks(result, base))
    diagnostics = find_errors(result, earlier)
    on_base = next((item.lock for item in earlier if item.name == base), None)
    diff = diff_locks(on_base, result.lock) if on_base else None
    return Review(path, True, tuple(diagnostics), _render_review(path, diagnostics, diff))


def _render_review(path: str, diagnostics: list[Diagnostic], diff: LockDiff | None) -> str:
    template = load_templates(ROOT / "templates", cell=escape_cell).get_template("review.md.j2")
    return template.render(path=path, diagnostics=diagnostics, change=diff, most=100)


def summarize_reviews(reviews: Iterable[Review]) -> tuple[list[str], Failure | None]:
    """Return the lines that the command prints, and its failure if a review has diagnostics."""
    lines: list[str] = []
    diagnostics: list[Diagnostic] = []
    for review in reviews:
        outcome = f"{len(review.diagnostics)} findings" if review.changed else "as on the base branch"
        lines.append(f"{review.folder}: {outcome}")
        diagnostics += review.diagnostics
    return lines, Failure(diagnostics, ExitCode.REFUSED) if diagnostics else None
