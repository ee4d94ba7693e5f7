"""What the workflows promise: they run what anybody can run, and nothing that anybody else can change."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts import Part
from tests.support import ROOT

FILES = sorted((ROOT / ".github").rglob("*.yml"))
_PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}")
_OURS = re.compile(
    r"""make (-C "\$ACTION/\.\./\.\./\.\." )?[a-z]+( PREFIX="\$PREFIX")?|("\$PREFIX/bin/|\.venv/bin/)spec2proto.*"""
)


def steps(path: Path) -> list[dict[str, Any]]:
    """Return the steps of a workflow or an action."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    jobs = document.get("jobs", {"": document.get("runs", {})})
    return [step for job in jobs.values() for step in job.get("steps", ())]


def test_every_workflow_is_here() -> None:
    names = {path.relative_to(ROOT / ".github").as_posix() for path in FILES}
    workflows = {f"workflows/{name}.yml" for name in ("ci", "spec-release", "review", "publish")}
    assert names == workflows | {"actions/spec2proto/action.yml"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.parent.name + "/" + path.stem)
def test_steps_call_make_or_spec2proto_and_nothing_else(path: Path) -> None:
    matches = steps(path)
    assert matches
    for step in matches:
        if "uses" in step:
            assert _PINNED.fullmatch(step["uses"]), step
            continue
        assert _OURS.fullmatch(step["run"]), step
        assert "${{" not in step["run"]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = {match for step in matches for match in re.findall(r"make (?:-C \S+ )?([a-z]+)", step.get("run", ""))}
    assert called <= targets


@pytest.mark.parametrize(
    "path", [path for path in FILES if path.parent.name == "workflows"], ids=lambda path: path.stem
)
def test_no_permission_is_given_that_no_job_asks_for(path: Path) -> None:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert document["permissions"] == {}
    assert all(job["permissions"] for job in document["jobs"].values())


def test_ci_requires_every_part_that_the_public_can_have() -> None:
    required = {
        step["env"]["REQUIRED_PARTS"]
        for step in steps(ROOT / ".github/workflows/ci.yml")
        if step.get("run") == "make test"
    }
    assert set(" ".join(required).split()) == set(Part) - {Part.HISTORY, Part.TRAFFIC}


def test_a_change_lands_only_if_every_part_was_tested() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    required = re.search(r"REQUIRED_PARTS-([a-z -]+)\}", text)
    assert required
    assert set(required[1].split()) == set(Part)
