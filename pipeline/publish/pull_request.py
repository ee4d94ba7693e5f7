"""From a build to one pull request a profile: the same branch and the same pull request each time.

The build runs in a working tree of its own, on top of the branch that is to be merged into, so neither what lies about
in the checkout nor an earlier proposal has a say in the numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.build.build import Outcome, Refused, Request, build, requested_profile
from pipeline.build.promote import promote
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.publish.git import Git, repository
from pipeline.publish.github import LABEL, Proposal, propose, slug
from pipeline.workspace import home, protos_folder

if TYPE_CHECKING:
    from pipeline.progress import Progress

# A line of the message of each commit that `spec2proto pr` makes, so that it never throws away anybody else's.
TRAILER = "Built-by: spec2proto pr"
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked for beside the build.

    Attributes:
        remote: where the branch goes.
        base: the branch to merge into; the remote's default branch when None.
        repository: `owner/name`; from the remote's address when None.
        api: the address of GitHub's REST API.
        spec_commit: the commit of the specification, if known.
        token: for GitHub and for git over HTTP.
        dry_run: only say what would be done.
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
    """What became of it: lines to print, and the failure to end with where a check refused the build."""

    lines: tuple[str, ...]
    refused: Failure | None = None


@dataclass(frozen=True, slots=True)
class _Built:
    data: Mapping[str, Any]
    report: str
    version: str | None
    refused: Refused | None


def pull_request(request: Request, options: Options, progress: Progress) -> Result:
    """Build, and propose what changed.

    Args:
        request: the build; its `out` is a folder of the repository, or None for the profile's own.
        options: where and how to propose it.
        progress: told of each stage.

    Raises:
        Failure: everything that `build` raises but a refusal, which makes a draft; `git/…`, `github/…`, `pr/…`.
    """
    _check(options)
    profile = requested_profile(request)
    target = protos_folder(profile, request.out)
    git = repository(_existing(target) if request.out else home(), options.remote, options.token)
    path = _path_in(git, target)
    base = options.base or git.default_branch()
    commit = git.fetched(base)
    if commit is None:
        hint = "name a branch that the remote has with `--base`"
        raise Failure(
            Diagnostic("git/no-branch", f"the remote has no branch `{base}`", hint=hint), ExitCode.ENVIRONMENT
        )
    branch = f"spec2proto/{profile.name}"
    with git.worktree(commit) as tree:
        built = _build(request, tree.folder / path, profile.opensearch_version, progress)
        made = tree.staged_tree(path)
        if made == tree.run("rev-parse", f"{commit}^{{tree}}"):
            return Result((f"unchanged   {path} on {base} is what a build makes: nothing to propose",), built.refused)
        proposal = _proposal(built, branch, base, options)
        new = tree.commit(made, commit, _message(proposal, path, tree.run("diff", "--shortstat", commit, made)))
        if options.dry_run:
            return Result(tuple(_dry(proposal, tree, commit, new)), built.refused)
        pushed = _push(tree, commit, new, branch, path)
    name = _repository(git, options)
    address, fresh = propose(proposal, name, options.api, options.token)
    return Result((pushed, f"{'created' if fresh else 'updated':<11} {address}"), built.refused)


def _check(options: Options) -> None:
    if options.spec_commit is not None and not _COMMIT.fullmatch(options.spec_commit):
        message, hint = f"`{options.spec_commit[:80]}` is no commit", "give 7 to 64 hexadecimal digits"
        raise Failure(Diagnostic("pr/commit", message, Place("--spec-commit"), hint))
    if not options.token and not options.dry_run:
        hint = "set GITHUB_TOKEN, or use `--dry-run`"
        raise Failure(Diagnostic("pr/no-token", "there is no token for GitHub", hint=hint), ExitCode.ENVIRONMENT)


def _existing(folder: Path) -> Path:
    """A folder, or the nearest one around it that is there."""
    return next(path for path in (folder, *folder.parents) if path.is_dir())


def _path_in(git: Git, folder: Path) -> str:
    """The path of a folder in the repository.

    Raises:
        Failure: `pr/outside`.
    """
    if not folder.resolve().is_relative_to(git.folder.resolve()):
        message, hint = f"`{folder}` is not in the repository `{git.folder}`", "name a folder of the repository"
        raise Failure(Diagnostic("pr/outside", message, Place("--out"), hint))
    return folder.resolve().relative_to(git.folder.resolve()).as_posix()


def _repository(git: Git, options: Options) -> str:
    found = options.repository or slug(git.address())
    if found:
        return found
    hint = "name it with `--repository owner/name`"
    raise Failure(Diagnostic("pr/no-repository", "the remote's address has no owner and name", hint=hint))


def _build(request: Request, out: Path, version: str | None, progress: Progress) -> _Built:
    """The result of a build, written where it belongs, also where a check refused it: then for a draft."""
    try:
        outcome: Outcome = build(replace(request, out=out), progress)
    except Refused as refused:
        promote(refused.files, out)
        return _Built(refused.data, refused.report, version, refused)
    return _Built(outcome.data, outcome.report, version, None)


def _proposal(built: _Built, branch: str, base: str, options: Options) -> Proposal:
    spec = options.spec_commit[:12] if options.spec_commit else built.data["spec"]["sha256"][:12]
    kind = "commit" if options.spec_commit else "SHA-256"
    known = [built.version] if built.version else [row["version"] for row in built.data["matrix"]["versions"][:1]]
    version = f" (OpenSearch {known[0]})" if known else ""
    impact = built.data["compatibility"]["impact"]
    return Proposal(
        branch=branch,
        base=base,
        title=f"Protos of {built.data['profile']} from the specification, {kind} {spec}{version}",
        body=built.report,
        labels=(f"{LABEL}{impact}",),
        draft=built.refused is not None,
    )


def _message(proposal: Proposal, path: str, stat: str) -> str:
    refused = "\n\nA check refused this result; it must not be merged as it is." if proposal.draft else ""
    return f"{proposal.title}\n\n{path}:{stat}{refused}\n\n{TRAILER}"


def _dry(proposal: Proposal, tree: Git, commit: str, new: str) -> list[str]:
    return [
        f"branch      {proposal.branch}, to be merged into {proposal.base}",
        f"title       {proposal.title}",
        f"labels      {', '.join(proposal.labels)}",
        f"draft       {'yes' if proposal.draft else 'no'}",
        "commit",
        *(f"            {line}" for line in tree.run("log", "-1", "--format=%B", new).splitlines()),
        "files",
        *(f"            {line}" for line in tree.run("diff", "--stat=100", commit, new).splitlines()),
        "body",
        proposal.body,
    ]


def _push(tree: Git, base: str, new: str, branch: str, path: str) -> str:
    """Put the commit on the branch, unless what is there is the same.

    Raises:
        Failure: `pr/foreign-commits` where somebody else's commits would be lost.
    """
    known = tree.fetched(branch)
    if known is not None:
        if tree.tree_of(known, path) == tree.tree_of(new, path):
            return f"unchanged   {branch} has this result"
        _check_own(tree, base, known, branch)
    tree.push(new, branch, known)
    return f"pushed      {new[:12]} to {branch}"


def _check_own(tree: Git, base: str, known: str, branch: str) -> None:
    separator = "\x1e"
    listed = tree.run("log", f"--format=%B{separator}", f"{base}..{known}").split(separator)
    foreign = [message.strip().splitlines()[0] for message in listed if message.strip() and TRAILER not in message]
    if foreign:
        message = f"`{branch}` has commits of others: {', '.join(f'`{title}`' for title in foreign[:3])}"
        hint = "merge them, or move them to another branch, then try again"
        raise Failure(Diagnostic("pr/foreign-commits", message, hint=hint), ExitCode.REFUSED)
