"""Git is started by one module, which keeps the token out of messages and off other hosts."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from pipeline.model.diagnostics import Failure
from pipeline.publish.git import Git, open_repository
from tests.review.repository import TOKEN, run_git
from tests.support import ROOT

PRODUCT = ("pipeline", "preprocess", "postprocess", "codec/python")


def starts_git(tree: ast.AST) -> bool:
    """Return whether code has a command whose first word is git."""
    commands = (node for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple) and node.elts)
    words = (command.elts[0] for command in commands)
    return any(isinstance(word, ast.Constant) and word.value == "git" for word in words)


def test_no_other_module_starts_git() -> None:
    modules = [path for folder in PRODUCT for path in (ROOT / folder).rglob("*.py")]
    found = [path.relative_to(ROOT).as_posix() for path in modules if starts_git(ast.parse(path.read_bytes()))]
    assert found == ["pipeline/publish/git.py"]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    run_git(tmp_path, "init", "--quiet", "--initial-branch=main")
    run_git(tmp_path, "remote", "add", "origin", f"https://robin:{TOKEN}@git.example.org:8443/fork/protos.git")
    return tmp_path


def test_the_token_is_for_the_host_of_the_remote_alone(repository: Path) -> None:
    settings = Git(repository, token=TOKEN)._create_settings()
    assert settings["GIT_CONFIG_KEY_0"] == "http.https://git.example.org:8443/.extraHeader"
    assert TOKEN not in "".join(settings.values())
    assert Git(repository, "git@git.example.org:fork/protos.git", TOKEN)._create_settings() == {}
    assert Git(repository)._create_settings() == {}


def test_no_secret_is_printed(repository: Path) -> None:
    repo = Git(repository, token=TOKEN)
    assert repo.redact(f"https://robin:{TOKEN}@git.example.org/ and {TOKEN}") == "https://…@git.example.org/ and …"
    assert TOKEN in repo.read_remote_url()
    with pytest.raises(Failure) as failure:
        repo.run("rev-parse", "--verify", f"https://robin:{TOKEN}@git.example.org/")
    assert TOKEN not in str(failure.value)


def test_a_command_that_fails_reads_nothing(repository: Path) -> None:
    assert Git(repository).read("rev-parse", "--verify", "--quiet", "nowhere") is None
    (repository / "file").write_bytes(b"one\n\n")
    run_git(repository, "add", "file")
    assert Git(repository).read("show", ":file") == b"one\n\n"
    (repository / "below").mkdir()
    assert open_repository(repository / "below", "origin", "").folder == repository.resolve()
