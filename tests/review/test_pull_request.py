"""One branch and one pull request a profile, against a real remote and GitHub's own description."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.model.diagnostics import ExitCode
from pipeline.publish.github import parse_repository
from tests.review.github_server import Site, send_request
from tests.review.repository import TOKEN, Repository, run_git
from tests.support import ROOT

PROFILE = "pull-request-test"
# A package must lie in a folder of its name: buf refuses this one.
MISPLACED = "elsewhere/shelves.proto"


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    yield Repository(tmp_path, PROFILE)
    shutil.rmtree(ROOT / "generated" / PROFILE, ignore_errors=True)


def test_the_mock_refuses_wrong_calls(contract: str) -> None:
    address = f"{contract}/repos/fork/protos/pulls"
    assert send_request(address, "POST", b'{"title": "no head", "base": "main"}')[0] == 422
    assert send_request(address, "POST", b'{"title": "all", "head": "new", "base": "main"}')[0] == 201
    assert send_request(f"{address}?state=closd", "GET", b"")[0] == 422


def test_one_branch_and_one_pull_request(repository: Repository, github: Site) -> None:
    first = repository.pr(api=github.address)
    assert first.returncode == ExitCode.DONE, first.stderr
    assert list(github.pulls) == [1]
    pull = github.pulls[1]
    assert pull["title"].startswith(f"Protos of {PROFILE} from the specification, SHA-256 ")
    assert (pull["head"], pull["base"], pull["draft"]) == (repository.branch, "main", False)
    assert pull["labels"] == ["protos: additive"]
    assert "| Shelf | message: " in pull["body"]
    head = repository.head(repository.branch)
    message = run_git(repository.remote, "log", "-1", "--format=%B", head)
    assert message.endswith("Signed-off-by: Robin Reader <robin@example.org>")
    files = run_git(repository.remote, "diff", "--name-only", "main", head).splitlines()
    assert {f"protos/{PROFILE}/{name}" for name in ("lock.yaml", "binding.json")} < set(files)
    assert all(name.startswith(f"protos/{PROFILE}/") for name in files)
    assert run_git(repository.folder, "status", "--porcelain") == ""
    assert run_git(repository.folder, "worktree", "list").count("\n") == 0

    again = repository.pr(api=github.address)
    assert again.returncode == ExitCode.DONE, again.stderr
    assert "updated     https://example.org/pull/1" in again.stdout
    assert (repository.head(repository.branch), list(github.pulls)) == (head, [1])

    pull["labels"].append("somebody's own")
    run_git(repository.folder, "fetch", "--quiet", "origin")
    run_git(repository.folder, "merge", "--quiet", "--ff-only", f"origin/{repository.branch}")
    run_git(repository.folder, "push", "--quiet", "origin", "HEAD:main")
    merged = repository.pr(api=github.address)
    assert (merged.returncode, merged.stdout.split()[0]) == (ExitCode.DONE, "unchanged"), merged.stderr

    repository.spec("        books: {type: integer}\n", "")
    changed = repository.pr("--spec-commit", "fbe9edeb0123456789", api=github.address)
    assert changed.returncode == ExitCode.DONE, changed.stderr
    assert list(github.pulls) == [1]
    assert pull["title"] == f"Protos of {PROFILE} from the specification, commit fbe9edeb0123"
    assert sorted(pull["labels"]) == ["protos: deprecating", "somebody's own"]
    parents = run_git(repository.remote, "log", "-1", "--format=%P", repository.branch)
    assert parents == repository.head("main")


def test_what_a_check_refused_is_a_draft(repository: Repository, github: Site) -> None:
    repository.profile(MISPLACED)
    refused = repository.pr(api=github.address)
    assert refused.returncode == ExitCode.REFUSED
    assert "buf/PACKAGE_DIRECTORY_MATCH" in refused.stderr
    assert (github.pulls[1]["draft"], github.pulls[1]["labels"]) == (True, ["protos: refused"])
    assert "| error | buf/PACKAGE\\_DIRECTORY\\_MATCH |" in github.pulls[1]["body"]
    repository.profile("shelves/v1/shelves.proto")
    mended = repository.pr(api=github.address)
    assert mended.returncode == ExitCode.DONE, mended.stderr
    assert (github.pulls[1]["draft"], github.pulls[1]["labels"]) == (False, ["protos: additive"])


def test_commits_of_others_are_never_thrown_away(repository: Repository) -> None:
    run_git(repository.folder, "switch", "--quiet", "--create", "mine")
    (repository.folder / "note.txt").write_text("a finding", encoding="utf-8")
    repository.commit("A note of mine", repository.branch)
    head = repository.head(repository.branch)
    process = repository.pr()
    assert process.returncode == ExitCode.REFUSED
    assert f"error[pr/foreign-commits]: `{repository.branch}` has commits of others: `A note of mine`" in process.stderr
    assert repository.head(repository.branch) == head


def test_a_dry_run_prints_everything_and_sends_nothing(repository: Repository) -> None:
    process = repository.pr("--dry-run", GITHUB_TOKEN="")
    assert process.returncode == ExitCode.DONE, process.stderr
    for text in (
        f"branch      {repository.branch}",
        "title       Protos of",
        "draft       no",
        "Signed-off-by: Robin",
        "lock.yaml",
    ):
        assert text in process.stdout
    assert "# Protos of profile" in process.stdout
    assert repository.head(repository.branch) == ""


def test_failures_say_what_is_wrong_and_no_secret(repository: Repository, tmp_path: Path) -> None:
    none = repository.pr(GITHUB_TOKEN="")
    assert (none.returncode, "error[pr/no-token]" in none.stderr) == (ExitCode.ENVIRONMENT, True)
    odd = repository.pr("--spec-commit", "$(date)")
    assert (odd.returncode, "error[pr/commit]" in odd.stderr) == (ExitCode.BAD_INPUT, True)
    run_git(repository.folder, "remote", "set-url", "origin", f"http://robin:{TOKEN}@127.0.0.1:1/fork/protos.git")
    unreachable = repository.pr()
    assert unreachable.returncode == ExitCode.ENVIRONMENT
    assert "error[git/failed]: git ls-remote: " in unreachable.stderr
    outside = repository.pr("--out", str(tmp_path / "clone" / ".." / "other"))
    assert outside.returncode == ExitCode.ENVIRONMENT
    assert "error[git/failed]: git rev-parse: " in outside.stderr


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://github.com/fork/protos.git", "fork/protos"),
        ("https://github.com/fork/protos", "fork/protos"),
        ("git@github.com:fork/protos.git", "fork/protos"),
        ("ssh://git@github.com/fork/my.protos/", "fork/my.protos"),
        ("protos", None),
    ],
)
def test_the_name_of_a_repository_follows_from_the_remote(address: str, name: str | None) -> None:
    assert parse_repository(address) == name
