"""The result is the contract that servers speak: nothing published is lost, nothing new comes from nowhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Severity
from pipeline.model.lock.text import format_lock, parse_lock
from postprocess.lock.releases import read_descriptors
from postprocess.tools.buf import find_breaking_changes
from tests.opensearch.conftest import Build
from tests.opensearch.matrix import table, written
from tests.parts import Part, absent
from tests.support import BASELINE, ROOT, SHARED, TOOLS, spec2proto

PUBLISHED = TOOLS / "opensearch-protobufs"


def published(release: str) -> Path:
    wheel = PUBLISHED / f"opensearch_protobufs-{release}-py3-none-any.whl"
    if not wheel.is_file():
        absent(Part.RELEASES, f"{wheel.name} is not in {PUBLISHED}; `make test` downloads it")
    return wheel


def test_every_published_field_value_and_rpc_is_kept(build: Build, tmp_path: Path) -> None:
    check = SHARED / "checks" / "published_contract.py"
    if not check.is_file():
        absent(Part.TRAFFIC, f"{check} is not there")
    descriptors = tmp_path / "descriptors.binpb"
    assert spec2proto("descriptors", "--out", build.folder, "-o", descriptors).returncode == 0
    done = subprocess.run([sys.executable, check, descriptors, "-v"], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "kept 1077/1077 fields, 260/260 enum values, 7/7 rpcs"


@pytest.mark.parametrize("category", ["FILE", "PACKAGE", "WIRE_JSON", "WIRE"])
def test_buf_finds_nothing_that_breaks_the_published_release(build: Build, tmp_path: Path, category: str) -> None:
    against = FileDescriptorSet(file=read_descriptors(published("1.7.0")))
    descriptor_pb2.DESCRIPTOR.CopyToProto(against.file.add())
    copy = tmp_path / "protos"
    copy.mkdir()
    for path in build.folder.rglob("*.proto"):
        target = copy / path.relative_to(build.folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    assert find_breaking_changes(copy, against, (category, Severity.ERROR)) == []


def test_the_baseline_is_what_all_releases_together_say(tmp_path: Path) -> None:
    wheels = [published(f"1.{minor}.0") for minor in range(8)]
    output = tmp_path / "lock.yaml"
    done = spec2proto("lock", "import", *wheels, "--output", output)
    assert done.returncode == 0, done.stderr
    assert output.read_bytes() == BASELINE.read_bytes()


def test_a_number_with_two_meanings_is_on_record() -> None:
    fields = parse_lock(BASELINE.read_bytes(), "baseline").messages["QueryContainer"].fields
    assert [(item.name, item.state, item.since, item.until) for item in fields if item.number == 33] == [
        ("sltr", "live", "1.7.0", None),
        ("boosting", "replaced", "1.3.0", "1.3.0"),
    ]
    freed = {item.number: item.name for item in fields if item.state == "reserved"}
    assert freed.items() >= {2: "boosting", 4: "dis_max", 34: "simple_query_string"}.items()


def test_numbers_free_today_are_reserved_in_the_protos(build: Build) -> None:
    text = (build.folder / "protos/schemas/common.proto").read_text()
    message = text.partition("\nmessage QueryContainer {")[2].partition("\n}")[0]
    assert "  reserved 2, 4, 21 to 23, 27, 34;" in message
    assert '"dis_max"' in message


def test_only_what_is_gone_is_deprecated(build: Build) -> None:
    assert build.elements("deprecated") == {
        "HitsMetadataHitsInner.x_type",
        "MultiTermQueryRewrite",
        "ResponseItem.x_type",
    }
    assert build.elements("type-changed") == {"MLPredictModelStreamRequestBody.parameters"}


def test_each_addition_points_into_the_spec(build: Build) -> None:
    added = [entry for entry in build.report["changes"] if entry["change"] == "added"]
    assert added
    assert [entry["element"] for entry in added if "opensearch-openapi.yaml:" not in entry["place"]] == []


def test_nothing_in_scope_is_lost(build: Build) -> None:
    coverage = build.report["coverage"]
    assert coverage["operation"] == {"typed": 12}
    assert {kind for kind, row in coverage.items() if "lost" in row} == set()
    assert coverage["property"]["typed"] > 600


def test_an_excluded_schema_that_is_in_no_spec_is_noted(build: Build) -> None:
    notes = [
        diagnostic["message"] for diagnostic in build.report["findings"] if diagnostic["code"] == "scope/unknown-schema"
    ]
    assert notes == ["no schema `ObjectMap` to exclude"]


def test_no_message_contains_itself_by_a_name_collision(build: Build) -> None:
    lock = parse_lock((build.folder / "lock.yaml").read_bytes(), "lock")
    requests = {rpc.request for rpc in lock.rpcs}
    for name in sorted(requests):
        assert name not in {item.type for item in lock.messages[name].fields}
    own = {name for name, entry in lock.messages.items() if name in {item.type for item in entry.fields}}
    assert own == {"AggregationProfile", "Collector", "ErrorCause", "Explanation", "FetchProfile", "NestedIdentity"} | {
        "NestedSortValue",
        "QueryProfile",
    }


def test_the_committed_protos_are_this_build(build: Build) -> None:
    committed = ROOT / "protos" / "opensearch"
    for path in sorted(committed.rglob("*")):
        if path.is_file():
            assert path.read_bytes() == (build.folder / path.relative_to(committed)).read_bytes(), path


def test_the_lock_is_written_as_it_is_read() -> None:
    for path in (BASELINE, ROOT / "protos" / "opensearch" / "lock.yaml", ROOT / "protos" / "example" / "lock.yaml"):
        assert format_lock(parse_lock(path.read_bytes(), path.name)) == path.read_text()


def test_an_older_version_deprecates_nothing_that_a_newer_one_has(build: Build, spec: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    arguments = ["--spec", spec, "--lock", build.folder / "lock.yaml", "--opensearch-version", "3.0", "--out", older]
    done = spec2proto("build", "--profile", "opensearch", *arguments)
    assert done.returncode == 0, done.stderr
    assert (older / "lock.yaml").read_bytes() == (build.folder / "lock.yaml").read_bytes()


def test_the_readme_says_which_versions_work(build: Build) -> None:
    assert written() == table(build.report)
