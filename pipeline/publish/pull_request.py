"""Build a profile and propose the result as a pull request: always the same branch and pull request of a profile.

The build runs in a temporary working tree of the base branch. Uncommitted files and earlier proposals therefore have no
influence on the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.build.build import build
from pipeline.build.promote import promote
from pipeline.build.request import Outcome, Refused, Request, requested_profile
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.publish.git import Git, open_repository
from pipeline.publish.github import LABEL, Proposal, parse_repository, propose
from pipeline.workspace import find_home, locate_protos

if TYPE_CHECKING:
    from pipeline.progress import Progress

# A line in the message of each commit that `spec2proto pr` makes. Commits without it are never overwritten.
TRAILER = "Built-by: spec2proto pr"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command `pr` that the build does not have.

    Attributes:
        remote: the remote to push the branch to.
        base: the branch to merge into; the remote's default branch if None.
        repository: `owner/name`; from the URL of the remote if None.
        api: the URL of GitHub's REST API.
        spec_commit: the commit of the specification, if known.
        token: for GitHub and for git over HTTP.
        dry_run: whether to print the proposal and send nothing.
    """

    remote: str = "origin"
    base: str | None = None
    repository: str | None = None
    api: str = "https://api.github.com"
    spec_commit: str | None = None
    token: str = ""
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """The lines to print, and the failure to end with if a check refused the build."""

    lines: tuple[str, ...]
    refused: Failure | None = None


@dataclass(frozen=True, slots=True)
class _Built:
    """The report of a build as data and Markdown, and the failure if a check refused it."""

    data: Mapping[str, Any]
    report: str
    version: str | None
    refused: Refused | None


def create_pull_request(request: Request, options: Options, progress: Progress) -> Result:
    """Build a profile and create or update its pull request; `request.out` must be in the repository.

    Raises:
        Failure: `git/…`, `github/…`, `pr/…`, and what `build` raises. A refused build becomes a draft instead.
    """
    _check_options(options)
    profile = requested_profile(request)
    target = locate_protos(profile, request.out)
    # The folder itself need not exist.
    folder = next(path for path in (target, *target.parents) if path.is_dir()) if request.out else find_home()
    git = open_repository(folder, options.remote, options.token)
    path = _locate_in_repository(git, target)
    base = options.base or git.find_default_branch()
    commit = git.fetch_branch(base)
    if commit is None:
        hint = "name a branch of the remote with `--base`"
        diagnostic = Diagnostic("git/no-branch", f"the remote has no branch `{base}`", hint=hint)
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    branch = f"spec2proto/{profile.name}"
    with git.add_worktree(commit) as tree:
        built = _build_in(tree.folder / path, request, profile.opensearch_version, progress)
        new_tree = tree.stage_tree(path)
        if new_tree == tree.run("rev-parse", f"{commit}^{{tree}}"):
            return Result((f"unchanged   {path} on {base} is what a build makes: nothing to propose",), built.refused)
        proposal = _describe_proposal(built, branch, base, options)
        message = _format_commit_message(proposal, path, tree.run("diff", "--shortstat", commit, new_tree))
        new_commit = tree.commit_tree(new_tree, commit, message)
        if options.dry_run:
            return Result(tuple(_print_proposal(proposal, tree, commit, new_commit)), built.refused)
        pushed = _push_commit(tree, commit, new_commit, branch, path)
    url, is_new = propose(proposal, _choose_repository(git, options), options.api, options.token)
    return Result((pushed, f"{'created' if is_new else 'updated':<11} {url}"), built.refused)


def _check_options(options: Options) -> None:
    if options.spec_commit is not None and not _COMMIT.fullmatch(options.spec_commit):
        message, hint = f"`{options.spec_commit[:80]}` is no commit", "give 7 to 64 hexadecimal digits"
        raise Failure(Diagnostic("pr/commit", message, Place("--spec-commit"), hint))
    if not options.token and not options.dry_run:
        hint = "set GITHUB_TOKEN, or use `--dry-run`"
        raise Failure(Diagnostic("pr/no-token", "there is no token for GitHub", hint=hint), ExitCode.ENVIRONMENT)


def _locate_in_repository(git: Git, folder: Path) -> str:
    """Return the path of a folder relative to the repository."""
    if not folder.resolve().is_relative_to(git.folder.resolve()):
        message, hint = f"`{folder}` is not in the repository `{git.folder}`", "name a folder of the repository"
        raise Failure(Diagnostic("pr/outside", message, Place("--out"), hint))
    return folder.resolve().relative_to(git.folder.resolve()).as_posix()


def _choose_repository(git: Git, options: Options) -> str:
    name = options.repository or parse_repository(git.read_remote_url())
    if name:
        return name
    hint = "name it with `--repository owner/name`"
    raise Failure(Diagnostic("pr/no-repository", "the remote's address has no owner and name", hint=hint))


def _build_in(out: Path, request: Request, version: str | None, progress: Progress) -> _Built:
    """Build into a folder; a result that a check refused is written as well, for a draft."""
    try:
        outcome: Outcome = build(replace(request, out=out), progress)
    except Refused as refused:
        promote(refused.files, out)
        return _Built(refused.data, refused.report, version, refused)
    return _Built(outcome.data, outcome.report, version, None)


def _describe_proposal(built: _Built, branch: str, base: str, options: Options) -> Proposal:
    kind, spec = ("commit", options.spec_commit) if options.spec_commit else ("SHA-256", built.data["spec"]["sha256"])
    versions = [built.version] if built.version else [row["version"] for row in built.data["matrix"]["versions"][:1]]
    suffix = f" (OpenSearch {versions[0]})" if versions else ""
    title = f"Protos of {built.data['profile']} from the specification, {kind} {spec[:12]}{suffix}"
    labels = (f"{LABEL}{built.data['compatibility']['impact']}",)
    return Proposal(branch, base, title, built.report, labels, draft=built.refused is not None)


def _format_commit_message(proposal: Proposal, path: str, stat: str) -> str:
    refused = "\n\nA check refused this result; it must not be merged as it is." if proposal.draft else ""
    return f"{proposal.title}\n\n{path}:{stat}{refused}\n\n{TRAILER}"


def _print_proposal(proposal: Proposal, tree: Git, base: str, commit: str) -> list[str]:
    return [
        f"branch      {proposal.branch}, to be merged into {proposal.base}",
        f"title       {proposal.title}",
        f"labels      {', '.join(proposal.labels)}",
        f"draft       {'yes' if proposal.draft else 'no'}",
        "commit",
        *(f"            {line}" for line in tree.run("log", "-1", "--format=%B", commit).splitlines()),
        "files",
        *(f"            {line}" for line in tree.run("diff", "--stat=100", base, commit).splitlines()),
        "body",
        proposal.body,
    ]


def _push_commit(tree: Git, base: str, commit: str, branch: str, path: str) -> str:
    """Push a commit to the branch unless the branch has the same result, and return the line to print."""
    remote_commit = tree.fetch_branch(branch)
    if remote_commit is not None:
        if tree.find_object(remote_commit, path) == tree.find_object(commit, path):
            return f"unchanged   {branch} has this result"
        _refuse_foreign_commits(tree, base, remote_commit, branch)
    tree.push(commit, branch, remote_commit)
    return f"pushed      {commit[:12]} to {branch}"


def _refuse_foreign_commits(tree: Git, base: str, commit: str, branch: str) -> None:
    separator = "\x1e"
    messages = tree.run("log", f"--format=%B{separator}", f"{base}..{commit}").split(separator)
    foreign = [message.strip().splitlines()[0] for message in messages if message.strip() and TRAILER not in message]
    if foreign:
        message = f"`{branch}` has commits of others: {', '.join(f'`{title}`' for title in foreign[:3])}"
        hint = "merge them, or move them to another branch, then try again"
        raise Failure(Diagnostic("pr/foreign-commits", message, hint=hint), ExitCode.REFUSED)
