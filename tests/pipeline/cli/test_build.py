"""The options of `spec2proto build`."""

from __future__ import annotations

import re
from pathlib import Path

from pipeline.model.lock.text import parse_lock
from tests.support import ROOT, spec2proto, tree

EXAMPLE = ROOT / "protos" / "example"


def test_without_a_profile_any_spec_is_built(tmp_path: Path) -> None:
    done = spec2proto("build", "--spec", ROOT / "examples/library/openapi.yaml", "--out", tmp_path / "protos")
    assert done.returncode == 0, done.stderr
    made = tree(tmp_path / "protos")
    assert "folio_catalogue/v1/folio_catalogue.proto" in made
    assert b"package folio_catalogue.v1;" in made["folio_catalogue/v1/loans_service.proto"]


def test_comments_are_as_asked_for(tmp_path: Path) -> None:
    texts = {}
    for comments in ("none", "reference", "full"):
        folder = tmp_path / comments
        done = spec2proto("build", "--profile", "example", "--comments", comments, "--out", folder)
        assert done.returncode == 0, done.stderr
        texts[comments] = (folder / "folio/catalog/v1/catalog.proto").read_text()
    prose = "A shelf and whatever the shop wrote on it."
    assert prose in texts["full"]
    assert prose not in texts["reference"]
    assert "// Schema: /components/schemas/catalog.core___Shelf" in texts["reference"]
    assert texts["none"].count("//") == 1
    declared = {name: re.findall(r"^ .*;$", text, re.MULTILINE) for name, text in texts.items()}
    assert declared["none"] == declared["reference"] == declared["full"]


def test_a_part_of_the_groups_leaves_the_rest_as_published(tmp_path: Path) -> None:
    done = spec2proto("build", "--profile", "example", "--groups", "bulk,loans.stats", "--out", tmp_path / "protos")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "protos/lock.yaml").read_bytes() == (EXAMPLE / "lock.yaml").read_bytes()


def test_an_older_version_of_the_api_has_less(tmp_path: Path) -> None:
    spec = ROOT / "examples/library/openapi.yaml"
    fields = {}
    for version in ("1.0", "2.10"):
        folder = tmp_path / version
        done = spec2proto(
            "build", "--profile", "generic", "--spec", spec, "--opensearch-version", version, "--out", folder
        )
        assert done.returncode == 0, done.stderr
        lock = parse_lock((folder / "lock.yaml").read_bytes(), "lock.yaml")
        fields[version] = {item.name for item in lock.messages["RecordCard"].fields}
    assert fields["2.10"] - fields["1.0"] >= {"mood"}
    assert "drawer" in fields["1.0"] - fields["2.10"]
