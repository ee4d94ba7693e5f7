"""GitHub, at one edge: pull requests and their labels, over its REST API with PyGithub."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from github import Auth, Github, GithubException
from github.PullRequest import PullRequest
from github.Repository import Repository
from requests import RequestException

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure

LABEL = "protos: "
SECONDS = 30
_SLUG = re.compile(r"(?:^|[/:])([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
_HINTS = {
    401: "give a token that is valid in the environment variable GITHUB_TOKEN",
    403: "the token needs to write contents and pull requests, and workflows must be allowed to create pull requests",
    404: "look at the repository's name, and whether the token may read it",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a pull request is to be.

    Attributes:
        branch: the branch with the commit.
        base: the branch that it is to be merged into.
        title: one line.
        body: Markdown.
        labels: ours; others that people gave stay.
        draft: whether it must not be merged as it is.
    """

    branch: str
    base: str
    title: str
    body: str
    labels: tuple[str, ...]
    draft: bool


def slug(address: str) -> str | None:
    """`owner/name` of a remote's address; None where it has none."""
    found = _SLUG.search(address)
    return found[1] if found else None


def propose(proposal: Proposal, name: str, api: str, token: str) -> tuple[str, bool]:
    """Create the pull request of a branch, or update the open one.

    Args:
        proposal: what it is to be.
        name: of the repository, `owner/name`.
        api: the address of GitHub's REST API.
        token: never shown.

    Returns:
        The address of the pull request, and whether it is new.

    Raises:
        Failure: `github/refused` (3) with what GitHub said.
    """
    with _told(token), _client(api, token) as client:
        repository = client.get_repo(name, lazy=True)
        found = _open(repository, proposal, name.partition("/")[0])
        pull = found or repository.create_pull(
            proposal.base, proposal.branch, title=proposal.title, body=proposal.body, draft=proposal.draft
        )
        if found:
            _update(found, proposal)
        _label(pull, proposal.labels)
        return pull.html_url, found is None


def _client(api: str, token: str) -> Github:
    return Github(auth=Auth.Token(token), base_url=api, timeout=SECONDS, retry=None, lazy=True)


def _open(repository: Repository, proposal: Proposal, owner: str) -> PullRequest | None:
    """The open pull request of the branch; there is one at most."""
    found = repository.get_pulls(state="open", head=f"{owner}:{proposal.branch}", base=proposal.base)
    return next((pull for pull in found if pull.head.ref == proposal.branch), None)


def _update(pull: PullRequest, proposal: Proposal) -> None:
    pull.edit(title=proposal.title, body=proposal.body)
    # Only the GraphQL API changes whether a pull request is a draft.
    if proposal.draft and not pull.draft:
        pull.convert_to_draft()
    elif pull.draft and not proposal.draft:
        pull.mark_ready_for_review()


def _label(pull: PullRequest, labels: tuple[str, ...]) -> None:
    """Give the pull request our labels and take those of ours that no longer fit; other labels stay."""
    now = {label.name for label in pull.labels}
    for label in sorted(now):
        if label.startswith(LABEL) and label not in labels:
            pull.remove_from_labels(label)
    missing = [label for label in labels if label not in now]
    if missing:
        # PyGithub's own call sends a bare list, which GitHub takes, but its description of the API does not have.
        pull.requester.requestJsonAndCheck("POST", f"{pull.issue_url}/labels", input={"labels": missing})


@contextmanager
def _told(token: str) -> Iterator[None]:
    """Turn errors of GitHub and of the network into failures, without the token."""
    try:
        yield
    except GithubException as error:
        said = error.data.get("message") if isinstance(error.data, dict) else None
        text = f"GitHub answered {error.status}: {said or 'no reason given'}"
        hint = _HINTS.get(error.status, "try again later")
    except RequestException as error:
        text, hint = f"GitHub cannot be reached: {type(error).__name__}", "try again, or use `--dry-run`"
    else:
        return
    message = text.replace(token, "…") if token else text
    raise Failure(Diagnostic("github/refused", message, hint=hint), ExitCode.ENVIRONMENT)


def comment(text: str, about: str, number: int, name: str, api: str, token: str) -> None:
    """Say something on a pull request, in one comment for each thing that it is about.

    Args:
        text: Markdown.
        about: what tells the comment from others; a later one about the same takes its place.
        number: of the pull request.
        name: of the repository, `owner/name`.
        api: the address of GitHub's REST API.
        token: never shown.

    Raises:
        Failure: `github/refused` (3) with what GitHub said.
    """
    mark = f"<!-- spec2proto review of {about} -->"
    with _told(token), _client(api, token) as client:
        issue = client.get_repo(name, lazy=True).get_issue(number)
        found = next((entry for entry in issue.get_comments() if entry.body.startswith(mark)), None)
        body = f"{mark}\n{text}"
        if found:
            found.edit(body)
        else:
            issue.create_comment(body)
