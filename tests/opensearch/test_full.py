"""The whole API: every operation group has its rpc, every generator takes the result, and the order never matters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import yaml
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Lint
from postprocess.tools.buf import lint
from postprocess.tools.protoc import compile_protos
from tests.languages import tools
from tests.opensearch.conftest import Build, built
from tests.opensearch.test_determinism import shuffled
from tests.support import ROOT, tree

MODULE = "github.com/opensearch-project/opensearch-protobufs/go"
METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}


@pytest.fixture(scope="module")
def document(spec: Path) -> dict[str, Any]:
    """The specification, read by a parser of its own."""
    loaded: dict[str, Any] = yaml.load(spec.read_text(), yaml.CSafeLoader)
    return loaded


@pytest.fixture(scope="module")
def descriptors(full: Build) -> FileDescriptorSet:
    """The result, compiled."""
    return compile_protos(full.folder, tools.names(full.folder))


def forms(document: dict[str, Any]) -> dict[str, dict[tuple[str, str], bool]]:
    """For each operation group its HTTP forms, and whether these are superseded."""
    found: dict[str, dict[tuple[str, str], bool]] = {}
    for path, item in document["paths"].items():
        for method in METHODS & item.keys():
            node = item[method]
            group = found.setdefault(node["x-operation-group"], {})
            group[method.upper(), path] = node.get("x-ignorable") is True
    return found


def current(had: dict[tuple[str, str], bool]) -> set[tuple[str, str]]:
    """The forms of a group that are not superseded; all, where all are."""
    return {form for form, older in had.items() if not older} or set(had)


def test_every_operation_group_has_one_rpc(
    full: Build, document: dict[str, Any], descriptors: FileDescriptorSet
) -> None:
    binding = json.loads((full.folder / "binding.json").read_text())
    rpcs = {
        f"{service.name}/{method.name}"
        for file in descriptors.file
        for service in file.service
        if file.package == "opensearch.v1"
        for method in service.method
    }
    assert rpcs == set(binding["rpcs"])
    served = {
        rpc["group"]: {(form["method"], form["path"]) for form in rpc["http"]} for rpc in binding["rpcs"].values()
    }
    assert len(served) == len(forms(document))
    assert served == {group: current(had) for group, had in forms(document).items()}


def test_what_is_superseded_is_listed(full: Build, document: dict[str, Any]) -> None:
    listed = [entry for entry in full.report["exclusions"] if entry["rule"] == "operation-superseded"]
    assert len(listed) == sum(len(had) - len(current(had)) for had in forms(document).values())


def test_marks_of_servers_are_not_honoured(full: Build) -> None:
    assert "vendor-excluded" not in full.report["excluded_by_rule"]


def test_lint_finds_nothing_and_excuses_nothing(full: Build) -> None:
    assert load_profile("opensearch-full").lint == Lint()
    assert lint(full.folder, Lint()) == []


def test_there_is_a_file_and_a_service_for_each_namespace(full: Build, document: dict[str, Any]) -> None:
    names = {path.name for path in full.folder.rglob("*.proto")}
    namespaces = {group.partition(".")[0] for group in forms(document) if "." in group}
    assert {f"{namespace}_service.proto" for namespace in namespaces} <= names
    assert {"common.proto", "query_dsl.proto", "aggregations.proto", "mapping.proto", "search_service.proto"} <= names


def test_no_file_imports_what_imports_it(descriptors: FileDescriptorSet) -> None:
    imports = nx.DiGraph((file.name, name) for file in descriptors.file for name in file.dependency)
    assert nx.is_directed_acyclic_graph(imports)


@pytest.mark.usefixtures("full")
def test_every_component_schema_has_a_name_of_its_own() -> None:
    canonical = json.loads((ROOT / "generated" / "opensearch-full" / "canonical.json").read_text())
    names = [name.lower() for name in canonical["components"]["schemas"]]
    assert len(names) == len(set(names))


def test_the_order_of_the_spec_does_not_matter(full: Build, document: dict[str, Any], tmp_path: Path) -> None:
    reversed_spec = tmp_path / "reversed.yaml"
    reversed_spec.write_text(yaml.dump(shuffled(document), Dumper=yaml.CSafeDumper, sort_keys=False))
    assert tree(built(reversed_spec, tmp_path / "protos").folder) == tree(full.folder)


def test_python_imports_it(full: Build, tmp_path: Path) -> None:
    tools.generate_python(full.folder, tmp_path / "python")
    tools.import_python(tmp_path / "python")


def test_java_takes_it(full: Build, tmp_path: Path) -> None:
    tools.generate_java(full.folder, tmp_path / "java")
    assert len(list((tmp_path / "java").rglob("*.java"))) > 3000


def test_go_takes_it(full: Build, tmp_path: Path) -> None:
    tools.generate_go(full.folder, tmp_path / "go", MODULE)
    assert len(list((tmp_path / "go").rglob("*.pb.go"))) >= len(tools.names(full.folder))


def test_a_gateway_serves_it(full: Build, tmp_path: Path) -> None:
    text = tools.generate_gateway(full.folder, tmp_path / "gateway").lower()  # Go has its own capitals
    rpcs = json.loads((full.folder / "binding.json").read_text())["rpcs"]
    assert [name for name in rpcs if f"_{name.replace('/', '_')}_0(".lower() not in text] == []


@pytest.mark.nightly
def test_java_compiles_it(full: Build, tmp_path: Path) -> None:
    tools.generate_java(full.folder, tmp_path / "java")
    tools.compile_java(tmp_path / "java", tmp_path / "classes")


@pytest.mark.nightly
def test_go_compiles_it(full: Build, tmp_path: Path) -> None:
    tools.generate_go(full.folder, tmp_path / "go", MODULE)
    tools.vet_go(tmp_path / "go", MODULE)
