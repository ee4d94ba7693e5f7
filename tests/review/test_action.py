"""Somebody adopts the pipeline: the action's own steps on the example's specification, in a repository from scratch."""

from __future__ import annotations

from pathlib import Path

from tests.review.action import list_commands, read_action, run_step
from tests.review.github_server import Site
from tests.review.repository import run_git
from tests.support import ROOT

EXAMPLE = ROOT / "examples" / "library" / "openapi.yaml"
PROFILE = """\
name: adopted
description: The catalogue of a library
spec:
  file: openapi.yaml
package: folio.catalog.v1
files:
  messages: folio/catalog/v1/catalog.proto
  options:
    java_package: org.example.folio.catalog.v1
    java_multiple_files: true
"""


def test_three_lines_and_a_profile_of_ten_are_enough(installed: Path, tmp_path: Path, github: Site) -> None:
    assert len(PROFILE.splitlines()) == 10
    remote, folder = tmp_path / "fork" / "protos.git", tmp_path / "clone"
    remote.parent.mkdir()
    run_git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", str(remote))
    run_git(tmp_path, "clone", "--quiet", str(remote), str(folder))
    (folder / "openapi.yaml").write_bytes(EXAMPLE.read_bytes())
    (folder / "protos.yaml").write_text(PROFILE, encoding="utf-8")
    run_git(folder, "add", "--all")
    run_git(folder, "commit", "--quiet", "-m", "A specification and a profile")
    run_git(folder, "push", "--quiet", "origin", "HEAD:main")
    environ = {"GITHUB_API_URL": github.address, "GITHUB_REPOSITORY": "fork/protos"}
    _, propose = list_commands()
    inputs = {"profile": "protos.yaml", "version": "2.0"}
    assert {name for name, declared in read_action()["inputs"].items() if declared.get("required")} <= inputs.keys()
    output = run_step(propose, folder, installed.parent, inputs, **environ)
    assert "created     https://example.org/pull/1" in output
    assert github.pulls[1]["title"].endswith(" (OpenSearch 2.0)")
    files = run_git(remote, "ls-tree", "-r", "--name-only", "spec2proto/adopted", "protos/").splitlines()
    assert "protos/adopted/lock.yaml" in files
    assert "protos/adopted/folio/catalog/v1/catalog.proto" in files
    again = run_step(propose, folder, installed.parent, inputs, **environ)
    assert "unchanged   spec2proto/adopted has this result" in again
    assert list(github.pulls) == [1]
