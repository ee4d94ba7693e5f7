"""`spec2proto check` refuses every edit by hand that changes the meaning of a number."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pipeline.model.diagnostics import Failure
from pipeline.publish.gate import check_result
from tests.evolution.repository import Repository
from tests.support import ROOT, spec2proto

PROTO = "protos/schemas/common.proto"
SERVICE = "protos/services/document_service.proto"
LOCK = "lock.yaml"
BINDING = "binding.json"
Edit = tuple[str, str, str]


def format_field(number: int, name: str, kind: str = "string", label: str = "singular") -> str:
    """Return the beginning of the line of a field in the lock."""
    return f"{{number: {number}, name: {name}, type: {kind}, label: {label}, "


def format_value(number: int, name: str) -> str:
    return f"{{number: {number}, name: BUILTIN_SCRIPT_LANGUAGE_{name}, "


VALUES: list[Edit] = [
    (PROTO, "BUILTIN_SCRIPT_LANGUAGE_JAVA = 2", "BUILTIN_SCRIPT_LANGUAGE_JAVA = 3"),
    (PROTO, "BUILTIN_SCRIPT_LANGUAGE_MUSTACHE = 3", "BUILTIN_SCRIPT_LANGUAGE_MUSTACHE = 2"),
]
SWAP: list[Edit] = [
    (PROTO, "string index = 1;\n  // Deprecated", "string path = 1;\n  // Deprecated"),
    (PROTO, "string path = 3;\n  optional string routing", "string index = 3;\n  optional string routing"),
]
REMOVE: list[Edit] = [(PROTO, "  optional bool store = 5;\n  oneof terms_lookup", "  oneof terms_lookup")]
REPEAT: list[Edit] = [(PROTO, "optional bool store = 5;\n  oneof terms", "repeated bool store = 5;\n  oneof terms")]
STREAM: list[Edit] = [(SERVICE, "returns (org.", "returns (stream org.")]
_STORE = format_field(5, "store", "bool", "optional")
STORE = f'    - {_STORE}source: store, since: "1.0.0"}}\n    - {{number: 6, name: id_2'
OLD = "{number: 34, name: simple_query_string, type: SimpleQueryStringQuery, label: singular, oneof: query_container"
PAST = "{number: 33, name: boosting, type: BoostingQuery, label: singular, oneof: query_container"

# The edits of the files, and parts of the diagnostics.
EDITS: dict[str, tuple[list[Edit], list[str]]] = {
    "an enum value renumbered": (
        VALUES,
        ["lock/differs", "`BuiltinScriptLanguage` has BUILTIN_SCRIPT_LANGUAGE_MUSTACHE"],
    ),
    "an enum value renumbered, in the lock as well": (
        [
            *VALUES,
            (LOCK, format_value(2, "JAVA"), format_value(3, "JAVA")),
            (LOCK, format_value(3, "MUSTACHE"), format_value(2, "MUSTACHE")),
        ],
        [f"{LOCK}:2298:7", "history/reused", "number 2 of `BuiltinScriptLanguage` was `BUILTIN_SCRIPT_LANGUAGE_JAVA`"],
    ),
    "two fields of one type swapped": (SWAP, ["lock/differs", "`TermsLookup` has singular string path at 1"]),
    "two fields of one type swapped, in the lock as well": (
        [
            *SWAP,
            (
                LOCK,
                f"next: 8\n    fields:\n    - {format_field(1, 'index')}",
                f"next: 8\n    fields:\n    - {format_field(1, 'path')}",
            ),
            (LOCK, f"{format_field(3, 'path')}source: path", f"{format_field(3, 'index')}source: path"),
        ],
        ["history/reused", "number 1 of `TermsLookup` was `singular string index`, live and is `singular string path`"],
    ),
    "reserved numbers removed": (
        [(PROTO, "  reserved 2, 4, 21 to 23, 27, 34;\n", "")],
        ["lock/differs", "`QueryContainer` does not reserve 2, 21, 22, 23, 27, 34, 4"],
    ),
    "a reserved name removed": (
        [(PROTO, 'reserved "boosting", "dis_max"', 'reserved "dis_max"')],
        ["lock/differs", "`QueryContainer` does not reserve 'boosting'"],
    ),
    "a field removed": (REMOVE, ["lock/differs", "`TermsLookup` has nothing at 5"]),
    "a field removed, in lock and binding as well": (
        [
            *REMOVE,
            (LOCK, STORE, "    - {number: 6, name: id_2"),
            (BINDING, '"store": {"role": "property"}, "id_2"', '"id_2"'),
        ],
        ["history/lost", "number 5 of `TermsLookup`, `store`, is gone (against HEAD)", "buf/FIELD_NO_DELETE"],
    ),
    "a field made repeated, in the lock as well": (
        [*REPEAT, (LOCK, STORE, STORE.replace("label: optional", "label: repeated"))],
        [
            "history/changed",
            "number 5 of `TermsLookup` was `optional bool store`, live and is `repeated bool store`, live",
        ],
    ),
    "an rpc made streaming": (STREAM, ["lock/differs", "`DocumentService/Bulk` is (BulkRequest) returns (stream"]),
    "an rpc made streaming, in lock and binding as well": (
        [
            *STREAM,
            (LOCK, "response: BulkResponse, group", "response: BulkResponse, server_streaming: true, group"),
            (BINDING, 'BulkResponse", "server_streaming": false', 'BulkResponse", "server_streaming": true'),
        ],
        ["history/changed", "rpc `DocumentService/Bulk` was", "buf/RPC_SAME_SERVER_STREAMING"],
    ),
    "a reserved number given away": (
        [
            (PROTO, "reserved 2, 4, 21 to 23, 27, 34;", "reserved 2, 4, 21 to 23, 27;"),
            (PROTO, "    BoolQuery bool = 1;", "    BoolQuery bool = 1;\n    BoolQuery fresh = 34;"),
            (LOCK, OLD, OLD.replace("simple_query_string", "fresh").replace("SimpleQueryStringQuery", "BoolQuery")),
            (LOCK, 'state: reserved, since: "1.3.0", until: "1.3.0"}', 'since: "1.3.0"}'),
        ],
        ["history/reused", "number 34 of `QueryContainer` was", "buf/RESERVED_MESSAGE_NO_DELETE"],
    ),
    "a meaning of a number forgotten": (
        [(LOCK, f'{PAST}, state: replaced, since: "1.3.0", until: "1.3.0"}}\n    - ', "")],
        ["history/reused", "number 33 of `QueryContainer` was `singular BoostingQuery boosting"],
    ),
    "the next number turned back": (
        [(LOCK, "___TermsLookup\n    next: 8\n", "___TermsLookup\n    next: 7\n")],
        ["lock/cursor", "`TermsLookup`: the next number 7 is already used"],
    ),
    "the binding edited": (
        [(BINDING, '"id_2": {"role": "property", "json": "id"}', '"id_3": {"role": "property", "json": "id"}')],
        ["output/binding", f"{BINDING} /messages/", "`org.opensearch.protobufs.TermsLookup.id_3` is not in the protos"],
    ),
    "the binding broken": ([(BINDING, '{"version"', '"version"')], ["output/binding", "the binding cannot be read"]),
    "the lock broken": ([(LOCK, "version: 1", "version: [1")], ["lock/unreadable"]),
    "a proto broken": ([(PROTO, "message TermsLookup {", "message TermsLookup")], ["proto/compile"]),
}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with the published result of `opensearch`."""
    created = Repository(tmp_path / "repository")
    created.begin()
    shutil.copytree(ROOT / "protos" / "opensearch", created.folder / "result")
    created.commit("Release", "v1")
    return created


def apply_edits(folder: Path, edits: list[Edit]) -> None:
    for name, old, new in edits:
        path = folder / name
        text = path.read_text()
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new))


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_by_hand_is_refused(repository: Repository, what: str) -> None:
    edits, expected = EDITS[what]
    folder = repository.folder / "result"
    apply_edits(folder, edits)
    with pytest.raises(Failure) as refused:
        check_result("opensearch", folder, None)
    output = "\n".join(map(str, refused.value.diagnostics))
    assert [text for text in expected if text not in output] == [], output
    assert all(diagnostic.hint for diagnostic in refused.value.diagnostics)


def test_what_was_built_passes(repository: Repository) -> None:
    process = spec2proto("check", "--profile", "opensearch", "--out", repository.folder / "result", "--against", "v1")
    assert process.returncode == 0, process.stderr
    assert "is compatible with 2 earlier locks" in process.stdout


def write_profile(folder: Path) -> Path:
    """Write a profile with the same contract and no baseline."""
    text = (ROOT / "rules" / "profiles" / "opensearch.yaml").read_text()
    path = folder / "profile.yaml"
    path.write_text(text.replace("name: opensearch\n", "name: case-gate\n", 1))
    return path


def test_a_number_that_is_used_again_three_releases_later_is_refused(repository: Repository, tmp_path: Path) -> None:
    profile, folder = write_profile(tmp_path), repository.folder / "result"
    lock, proto = folder / LOCK, folder / PROTO
    # Each release was made past the gate: the field is deprecated, then removed, then forgotten, then given again.
    line = (
        f'{format_field(5, "store", "bool", "optional")}source: store, since: "1.0.0"}}\n    - {{number: 6, name: id_2'
    )
    reserved = line.replace("source: store", "source: store, state: reserved")
    apply_edits(
        folder, [(PROTO, "bool store = 5;\n  oneof terms", "bool store = 5 [deprecated = true];\n  oneof terms")]
    )
    apply_edits(folder, [(LOCK, line, line.replace("source: store", "source: store, state: deprecated"))])
    repository.commit("Deprecated", "v2")
    apply_edits(
        folder,
        [(PROTO, "  optional bool store = 5 [deprecated = true];\n  oneof terms", "  reserved 5;\n  oneof terms")],
    )
    apply_edits(folder, [(LOCK, line.replace("source: store", "source: store, state: deprecated"), reserved)])
    repository.commit("Removed", "v3")
    apply_edits(folder, [(PROTO, "  reserved 5;\n  oneof terms", "  oneof terms")])
    apply_edits(folder, [(LOCK, f"    - {reserved}", "    - {number: 6, name: id_2")])
    repository.commit("Forgotten", "v4")
    apply_edits(folder, [(PROTO, "  oneof terms_lookup", "  optional string shelf = 5;\n  oneof terms_lookup")])
    apply_edits(
        folder,
        [
            (
                LOCK,
                "    - {number: 6, name: id_2",
                f"    - {format_field(5, 'shelf', label='optional')}source: shelf}}\n    - {{number: 6, name: id_2",
            )
        ],
    )
    apply_edits(folder, [(BINDING, '"store": {"role": "property"}, "id_2"', '"id_2"')])
    repository.commit("Given again")
    process = spec2proto("check", "--profile", profile, "--out", folder, "--against", "HEAD")
    assert process.returncode == 1, process.stdout
    assert "history/reused" in process.stderr
    assert "was `optional bool store`, live and is `optional string shelf`, live (against v1)" in process.stderr
    assert lock.is_file()
    assert proto.is_file()


def test_without_version_control_a_lock_can_be_named(tmp_path: Path) -> None:
    folder = tmp_path / "result"
    shutil.copytree(ROOT / "protos" / "opensearch", folder)
    profile, lock = write_profile(tmp_path), ROOT / "protos" / "opensearch" / LOCK
    assert spec2proto("check", "--profile", profile, "--out", folder).returncode == 0
    edits, _ = EDITS["a field removed, in lock and binding as well"]
    apply_edits(folder, edits)
    assert spec2proto("check", "--profile", profile, "--out", folder).returncode == 0, "nothing says that it was there"
    process = spec2proto("check", "--profile", profile, "--out", folder, "--against", lock)
    assert process.returncode == 1
    assert f"`store`, is gone (against {lock})" in process.stderr
    (folder / LOCK).unlink()
    assert "lock/missing" in spec2proto("check", "--profile", profile, "--out", folder).stderr


def test_a_commit_that_is_not_there_is_told(repository: Repository) -> None:
    process = spec2proto(
        "check", "--profile", "opensearch", "--out", repository.folder / "result", "--against", "nowhere"
    )
    assert process.returncode == 2
    assert "history/unknown" in process.stderr
