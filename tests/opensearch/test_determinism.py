"""The same input gives the same bytes: whoever builds, wherever, in whatever order, with either generator."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.opensearch.conftest import Build
from tests.parts import Part, absent
from tests.support import BASELINE, ROOT, TOOLS, spec2proto, tree

OLD_JAR = TOOLS / "openapi-generator-7.19.0" / "openapi_generator_cli" / "openapi-generator.jar"


def rebuilt(
    spec: Path, folder: Path, *arguments: str | Path, cwd: Path | None = None, **environ: str
) -> dict[str, bytes]:
    done = spec2proto(
        "build",
        "--profile",
        "opensearch",
        "--spec",
        spec,
        "--lock",
        BASELINE,
        "--out",
        folder,
        *arguments,
        cwd=cwd,
        **environ,
    )
    assert done.returncode == 0, done.stderr
    return tree(folder)


def test_another_hash_seed_locale_and_folder_change_nothing(build: Build, spec: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "somewhere else"
    elsewhere.mkdir()
    environ = {"PYTHONHASHSEED": "4711", "LC_ALL": "C", "LANG": "C", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"}
    assert rebuilt(spec, elsewhere / "out", cwd=elsewhere, **environ) == tree(build.folder)


def test_the_old_and_the_new_generator_agree(build: Build, spec: Path, tmp_path: Path) -> None:
    if not OLD_JAR.is_file():
        absent(Part.OLD_GENERATOR, f"OpenAPI Generator 7.19.0 is not at {OLD_JAR}; `make test` installs it")
    assert rebuilt(spec, tmp_path / "out", SPEC2PROTO_GENERATOR_JAR=str(OLD_JAR)) == tree(build.folder)


def shuffled(value: Any) -> Any:
    """The document with the keys of every mapping reversed; lists keep their order, which has a meaning."""
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("lock", ["empty", "baseline"])
def test_the_order_of_the_spec_does_not_matter(build: Build, spec: Path, tmp_path: Path, lock: str) -> None:
    if lock == "empty":
        source = ROOT / "examples" / "library" / "openapi.yaml"
        begin = ROOT / "examples" / "library" / "empty.lock.yaml"
        expected = _built(source, begin, "example", tmp_path / "straight")
    else:
        source, begin, expected = spec, BASELINE, tree(build.folder)
    document = yaml.load(source.read_text(), yaml.CSafeLoader)
    reversed_spec = tmp_path / "reversed.yaml"
    reversed_spec.write_text(yaml.dump(shuffled(document), Dumper=yaml.CSafeDumper, sort_keys=False))
    found = _built(reversed_spec, begin, "example" if lock == "empty" else "opensearch", tmp_path / "reversed")
    assert {name: text for name, text in found.items() if name != "binding.json"} == {
        name: text for name, text in expected.items() if name != "binding.json"
    }


def _built(spec: Path, lock: Path, profile: str, folder: Path) -> dict[str, bytes]:
    done = spec2proto("build", "--profile", profile, "--spec", spec, "--lock", lock, "--out", folder)
    assert done.returncode == 0, done.stderr
    return tree(folder)


def test_a_rebuild_on_its_own_lock_changes_nothing(build: Build, spec: Path, tmp_path: Path) -> None:
    folder = tmp_path / "again"
    shutil.copytree(build.folder, folder)
    before = tree(folder)
    done = spec2proto("build", "--profile", "opensearch", "--spec", spec, "--out", folder)
    assert done.returncode == 0, done.stderr
    assert "unchanged" in done.stdout
    assert tree(folder) == before


def test_an_unchanged_spec_starts_no_java(build: Build, spec: Path) -> None:
    first = spec2proto("build", "--profile", "opensearch", "--spec", spec, "--out", build.folder)
    assert first.returncode == 0, first.stderr
    second = spec2proto(
        "build", "--profile", "opensearch", "--spec", spec, "--out", build.folder, SPEC2PROTO_JAVA="/nonexistent"
    )
    assert second.returncode == 0, second.stderr
    assert "generate" not in second.stdout
    assert "unchanged" in second.stdout
