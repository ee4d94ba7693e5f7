"""The reports that the browser looks at: of the example, of nothing new, of a refusal, of a hostile specification."""

from __future__ import annotations

import json
import os
import shutil
import sys
import sysconfig
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.packages import Unavailable
from tests.parts import Part, absent
from tests.review.action import list_commands, run_step
from tests.review.github_server import Site, serve, start_prism
from tests.review.repository import TOKEN
from tests.support import ROOT, spec2proto

EXAMPLE = ROOT / "examples" / "library"


class Reports:
    """Builds, one after the other, of one profile; each leaves its report in a file of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        """Use a folder and the name of the profile."""
        self.folder, self.name, self.work = folder, name, ROOT / "generated" / name
        shutil.rmtree(self.work, ignore_errors=True)

    def build(self, title: str, spec: str, profile: str, *options: str) -> tuple[Path, int]:
        """Build, and return the path of the report and the exit code."""
        path = self.folder / f"{title}.yaml"
        path.write_text(spec, encoding="utf-8")
        (self.folder / "profile.yaml").write_text(f"name: {self.name}\n{profile}", encoding="utf-8")
        arguments = ["--profile", self.folder / "profile.yaml", "--spec", path, "--out", self.folder / "out"]
        process = spec2proto("build", *arguments, "--quiet", *options)
        report = self.folder / f"{title}.html"
        shutil.copyfile(self.work / "report.html", report)
        copies = os.environ.get("REPORTS")
        if copies:
            shutil.copyfile(report, Path(copies) / f"{self.name}-{title}.html")
        return report, process.returncode


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install spec2proto as the action does, beside its installed dependencies, and return the folder."""
    temporary = tmp_path_factory.mktemp("installed")
    prefix = temporary / "spec2proto"
    venv.create(prefix, symlinks=True)
    (site,) = (prefix / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    (prefix / "bin" / "buf").symlink_to(Path(sys.executable).with_name("buf"))
    install, *_ = list_commands()
    run_step(install, temporary, temporary, {}, PYTHON=sys.executable)
    return prefix


@pytest.fixture(scope="session")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start Prism and return its URL."""
    try:
        with start_prism(tmp_path_factory.mktemp("prism")) as address:
            yield address
    except Unavailable as reason:
        absent(Part.NODE, str(reason))


@pytest.fixture
def github(contract: str) -> Iterator[Site]:
    """Serve GitHub; it must accept every call and see no token but the given one."""
    with serve(contract) as site:
        yield site
        assert all(allowed for _, _, allowed in site.calls), site.calls
        assert site.tokens <= {f"token {TOKEN}", f"Bearer {TOKEN}"}


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """Build reports of the first change, a big one, none and a refused one."""
    builds = Reports(tmp_path_factory.mktemp("reports"), "report-test")
    text = (EXAMPLE / "openapi.yaml").read_text(encoding="utf-8")
    profile = (ROOT / "rules" / "profiles" / "example.yaml").read_text(encoding="utf-8").partition("name: example\n")[2]
    small = profile.partition("services:")[0].replace("spec:\n  file: examples/library/openapi.yaml\n", "")
    paths = {}
    paths["first"], ended = builds.build("first", text, small)
    assert ended == 0
    changed = text.replace("if-revision: {type: integer", "if-revision: {type: string").replace("drop:", "throw-away:")
    assert changed != text
    paths["big"], ended = builds.build("big", changed, small.replace('"2.0"', '"9.0"'))
    assert ended == 0
    paths["none"], ended = builds.build("none", changed + "# the same\n", small.replace('"2.0"', '"9.0"'))
    assert ended == 0
    paths["refused"], ended = builds.build(
        "refused", changed, small.replace("folio/catalog", "elsewhere").replace('"2.0"', '"9.0"')
    )
    assert ended == 1
    yield paths
    shutil.rmtree(builds.work)


HOSTILE = (
    "</script><script>alert(1)</script><!-- ]]> \"'` & <img src=x onerror=alert(2)> "
    "\u202eevil\u2028\u2066 \ufeff javascript:alert(3)"
)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Build the report of a specification full of text that could be read as markup."""
    builds = Reports(tmp_path_factory.mktemp("hostile"), "report-hostile-test")
    schema: dict[str, Any] = {
        "type": "object",
        "description": HOSTILE,
        "properties": {
            HOSTILE: {"type": "string", "description": HOSTILE, "default": HOSTILE},
            "kind": {"type": "string", "enum": [HOSTILE, "plain", "\u202eright to left"]},
            "any": {},
        },
    }
    answer = {
        "description": HOSTILE,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}},
    }
    spec = {
        "openapi": "3.1.0",
        "info": {"title": HOSTILE, "version": HOSTILE},
        "paths": {
            "/<b>things": {"get": {"operationId": "things", "description": HOSTILE, "responses": {"200": answer}}}
        },
        "components": {"schemas": {"Thing": schema}},
    }
    report, ended = builds.build("hostile", json.dumps(spec), "package: thing.v1\n")
    assert ended == 0
    yield report
    shutil.rmtree(builds.work)
