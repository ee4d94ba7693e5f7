"""Which protos work with which versions of the API, from marks of the specification and the lock's memory."""

from __future__ import annotations

from pipeline.model.api_versions import Span, format_version
from pipeline.model.contract import Contract, Field, JsonForm, Label, Message, Rpc
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import read_document
from pipeline.model.lock.model import Lock, LockedField, LockedMessage, LockedRpc
from pipeline.model.source import FieldSource, SchemaSource
from postprocess.report.version_matrix import CURRENT, build_version_matrix, format_cell, format_server
from preprocess.document.versions import collect_version_marks

SPEC = """\
paths:
  /shelves:
    get: {x-version-added: '1.0', x-version-removed: '3.0'}
    put: {x-version-added: '2.4'}
components:
  parameters:
    depth:
      schema: {x-version-added: 2.17.1}
  schemas:
    Shelf:
      properties:
        name: {type: string}
        room: {x-version-added: '2.4'}
        rows: {x-version-removed: '2.4'}
        odd: {x-version-added: soon}
"""
MARKS = collect_version_marks(read_document(SPEC, "spec.yaml"))
SHELF = "/components/schemas/Shelf"


def field(number: int, name: str, pointer: str) -> Field:
    return Field(
        FieldSource.for_property(name),
        name,
        "string",
        Label.OPTIONAL,
        number=number,
        places=(Place("spec.yaml", pointer=pointer),),
    )


FIELDS = (
    field(1, "name", f"{SHELF}/properties/name"),
    field(2, "room", f"{SHELF}/properties/room"),
    field(3, "rows", f"{SHELF}/properties/rows"),
    field(4, "depth", "/components/parameters/depth"),
    field(5, "odd", f"{SHELF}/properties/odd"),
)
RPCS = tuple(
    Rpc("Shelves", name, name, "Shelf", "Shelf", places=tuple(Place(pointer=pointer) for pointer in pointers))
    for name, *pointers in (("Get", "/paths/~1shelves/get"), ("Put", "/paths/~1shelves/get", "/paths/~1shelves/put"))
)
CONTRACT = Contract(
    {"Shelf": Message("Shelf", SchemaSource.for_component("Shelf"), JsonForm.OBJECT, FIELDS, file="s.proto")}, {}, RPCS
)


def locked() -> Lock:
    since = {"name": "1.0.0", "room": "1.10.0", "rows": "1.9.0"}
    fields = tuple(
        LockedField(number=item.number, name=item.name, type="string", label=item.label, since=since.get(item.name))
        for item in FIELDS
    )
    rpc = LockedRpc(service="Shelves", name="Get", file="s", package="p", request="S", response="S", since="1.0.0")
    return Lock(version=1, package="p", messages={"Shelf": LockedMessage(file="s", next=6, fields=fields)}, rpcs=(rpc,))


def test_marks_are_read_by_place_and_nonsense_is_passed_over() -> None:
    assert MARKS[f"{SHELF}/properties/room"] == Span(added=(2, 4))
    assert MARKS["/paths/~1shelves/get"] == Span(added=(1,), removed=(3,))
    assert MARKS[f"{SHELF}/properties/odd"] == Span()
    assert f"{SHELF}/properties/name" not in MARKS


def test_each_release_is_held_against_each_version() -> None:
    found = build_version_matrix(CONTRACT, locked(), MARKS)
    assert found["releases"] == ["1.0.0", "1.9.0", "1.10.0", CURRENT]
    table = {row["version"]: [format_cell(cell) for cell in row["cells"]] for row in found["versions"]}
    assert table == {
        "3.0": ["0 of 1 rpcs", "0 of 1 rpcs, 1 gone", "0 of 1 rpcs, 1 gone", "1 of 2 rpcs, 1 gone"],
        "2.17": ["all", "1 gone", "1 gone", "1 gone"],
        "2.4": ["all", "1 gone", "1 gone", "1 newer, 1 gone"],
        "1.0": ["all", "all", "1 newer", "2 newer"],
    }


def test_without_marks_there_is_no_table() -> None:
    found = build_version_matrix(CONTRACT, locked(), {})
    assert found == {"releases": ["1.0.0", "1.9.0", "1.10.0", CURRENT], "versions": [], "servers": []}


def test_what_servers_answer_is_told_of_each() -> None:
    names = sorted(f"{rpc.service}/{rpc.name}" for rpc in CONTRACT.rpcs)
    found = build_version_matrix(CONTRACT, locked(), {}, {"3.0.0": names[:1], "3.1.0": [*names, "Shelves/Burn"]})[
        "servers"
    ]
    assert found == [
        {"version": "3.0.0", "answered": names[:1], "not": names[1:]},
        {"version": "3.1.0", "answered": names, "not": []},
    ]
    assert (
        format_server(found[0]) == f"A server of 3.0.0 was asked over gRPC: it answers 1 of 2 rpcs, not `{names[1]}`."
    )
    assert format_server(found[1]) == "A server of 3.1.0 was asked over gRPC: it answers 2 of 2 rpcs."


def test_a_version_is_shown_with_its_minor() -> None:
    assert [format_version(version) for version in ((3,), (2, 19), (2, 17, 1))] == ["3.0", "2.19", "2.17.1"]
