"""GitHub's REST API, with PyGithub: pull requests, their labels and comments."""

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
_REPOSITORY = re.compile(r"(?:^|[/:])([\w.-]+/[\w.-]+?)(?:\.git)?/?$")
_HINTS = {
    401: "set the environment variable GITHUB_TOKEN to a valid token",
    403: "let the token write contents and pull requests, and let workflows create pull requests",
    404: "check the name of the repository, and whether the token may read it",
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A pull request to create or update.

    Attributes:
        branch: the branch with the commit.
        base: the branch that it is to be merged into.
        title: one line.
        body: Markdown.
        labels: the labels of this project; labels that people added stay.
        draft: whether the result must not be merged, because a check refused it.
    """

    branch: str
    base: str
    title: str
    body: str
    labels: tuple[str, ...]
    draft: bool


def parse_repository(url: str) -> str | None:
    """Return `owner/name` of a remote's URL; None if it has none."""
    match = _REPOSITORY.search(url)
    return match[1] if match else None


def propose(proposal: Proposal, name: str, api: str, token: str) -> tuple[str, bool]:
    """Create the pull request of a branch, or update the open one; return its URL, and whether it is new.

    `name` is the repository, `owner/name`, and `api` the URL of GitHub's REST API. The token is never printed.

    Raises:
        Failure: `github/refused` (3) with GitHub's reason.
    """
    with _translate_errors(token), _open_client(api, token) as client:
        repository = client.get_repo(name, lazy=True)
        existing = _find_pull(repository, proposal, name.partition("/")[0])
        pull = existing or repository.create_pull(
            proposal.base, proposal.branch, title=proposal.title, body=proposal.body, draft=proposal.draft
        )
        if existing:
            _update_pull(existing, proposal)
        _update_labels(pull, proposal.labels)
        return pull.html_url, existing is None


def _open_client(api: str, token: str) -> Github:
    return Github(auth=Auth.Token(token), base_url=api, timeout=SECONDS, retry=None, lazy=True)


def _find_pull(repository: Repository, proposal: Proposal, owner: str) -> PullRequest | None:
    """Return the open pull request of a branch; GitHub allows one at most."""
    pulls = repository.get_pulls(state="open", head=f"{owner}:{proposal.branch}", base=proposal.base)
    return next((pull for pull in pulls if pull.head.ref == proposal.branch), None)


def _update_pull(pull: PullRequest, proposal: Proposal) -> None:
    pull.edit(title=proposal.title, body=proposal.body)
    # Only the GraphQL API changes whether a pull request is a draft.
    if proposal.draft and not pull.draft:
        pull.convert_to_draft()
    elif pull.draft and not proposal.draft:
        pull.mark_ready_for_review()


def _update_labels(pull: PullRequest, labels: tuple[str, ...]) -> None:
    """Add the labels of this project and remove its outdated ones; labels of people stay."""
    current = {label.name for label in pull.labels}
    for label in sorted(current):
        if label.startswith(LABEL) and label not in labels:
            pull.remove_from_labels(label)
    missing = [label for label in labels if label not in current]
    if missing:
        # PyGithub's own method sends a bare list. GitHub accepts it, but its OpenAPI description does not.
        pull.requester.requestJsonAndCheck("POST", f"{pull.issue_url}/labels", input={"labels": missing})


@contextmanager
def _translate_errors(token: str) -> Iterator[None]:
    """Translate errors of GitHub and of the network into failures that do not contain the token."""
    try:
        yield
    except GithubException as error:
        reason = error.data.get("message") if isinstance(error.data, dict) else None
        text = f"GitHub answered {error.status}: {reason or 'no reason given'}"
        hint = _HINTS.get(error.status, "try again later")
    except RequestException as error:
        text, hint = f"GitHub cannot be reached: {type(error).__name__}", "try again, or use `--dry-run`"
    else:
        return
    message = text.replace(token, "…") if token else text
    raise Failure(Diagnostic("github/refused", message, hint=hint), ExitCode.ENVIRONMENT)


def write_comment(text: str, topic: str, number: int, name: str, api: str, token: str) -> None:
    """Write a comment in Markdown on a pull request, or replace the earlier one of the same topic.

    Name, API and token are as in `propose`.

    Raises:
        Failure: `github/refused` (3) with GitHub's reason.
    """
    mark = f"<!-- spec2proto review of {topic} -->"
    with _translate_errors(token), _open_client(api, token) as client:
        issue = client.get_repo(name, lazy=True).get_issue(number)
        existing = next((entry for entry in issue.get_comments() if entry.body.startswith(mark)), None)
        body = f"{mark}\n{text}"
        if existing:
            existing.edit(body)
        else:
            issue.create_comment(body)
