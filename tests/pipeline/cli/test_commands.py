"""The commands beside building, on what is committed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.lock.text import parse_lock
from tests.support import ROOT, spec2proto, tree

EXAMPLE = ROOT / "protos" / "example"


def test_descriptors_come_with_their_imports(tmp_path: Path) -> None:
    output = tmp_path / "image.binpb"
    done = spec2proto("descriptors", "--profile", "opensearch", "--output", output, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = FileDescriptorSet.FromString(output.read_bytes())
    assert "google/protobuf/descriptor.proto" in {file.name for file in found.file}


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "Find.computed",
            [
                "field Find.computed = 7: map<string, NullableScalarValue> computed",
                "all keys of the object that are no other",
            ],
        ),
        ("Format.FORMAT_E_BOOK", ["value Format.FORMAT_E_BOOK = 2", '"e-book"']),
        ("CatalogService/WatchArrivals", ["returns (stream WatchArrivalsResponse)", "GET /arrivals", "streaming"]),
        (
            "Find",
            [
                "message Find in folio/catalog/v1/catalog.proto",
                "examples/library/openapi.yaml:",
                "source   catalog.search___Find",
            ],
        ),
        ("Order", ['ORDER_ASC_UPPER = JSON "ASC"']),
    ],
)
def test_explain_says_where_an_element_comes_from(name: str, lines: list[str]) -> None:
    done = spec2proto("explain", name, "--profile", "example")
    assert done.returncode == 0, done.stderr
    for line in lines:
        assert line in done.stdout


def test_lock_show_gives_the_lines_of_the_lock() -> None:
    done = spec2proto("lock", "show", "Receipt", "--profile", "example")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "- {number: 1, name: x_id, type: string, label: singular, source: _id, json_name: _id}" in lines
    assert set(lines) <= {line.strip() for line in (EXAMPLE / "lock.yaml").read_text().splitlines()}


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


def test_the_binding_speaks_of_the_fields_that_there_are() -> None:
    for profile in ("example", "opensearch", "opensearch-full"):
        folder = ROOT / "protos" / profile
        binding = json.loads((folder / "binding.json").read_text())
        lock = parse_lock((folder / "lock.yaml").read_bytes(), "lock.yaml")
        assert binding["version"] == 1
        for name, entry in binding["messages"].items():
            known = {item.name for item in lock.messages[name.removeprefix(f"{lock.package}.")].fields}
            assert set(entry["fields"]) <= known
        assert set(binding["rpcs"]) == {f"{rpc.service}/{rpc.name}" for rpc in lock.rpcs}
    catalog = json.loads((EXAMPLE / "binding.json").read_text())
    assert catalog["messages"]["folio.catalog.v1.RecordCard"]["fields"]["last_seen_at"]["json"] == "lastSeenAt"
    assert catalog["enums"]["folio.catalog.v1.Order"]["ORDER_ASC_UPPER"] == ["ASC"]
