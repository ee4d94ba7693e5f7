"""Each kind of change: what becomes of it, and what old and new clients read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import Failure
from pipeline.model.document.located import read_document
from pipeline.model.lock.text import format_lock, parse_lock
from preprocess.passes import preprocess
from tests.evolution import history, kinds, wire
from tests.evolution.kinds import Case

CASES = kinds.read_cases()
REFUSED = [case for case in CASES if case.outcome.refused]
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
every_refusal = pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.stem)
# The kinds that need a case, as the beginnings of their names.
WORDS = (
    "property: added, removed, restored, renamed; type changed: compatibly, incompatibly; "
    "optional →: required, repeated; required →: optional; repeated →: map; map →: optional; "
    "plain →: union; union →: plain; variant: added, removed, retitled; variants: reordered; "
    "enum value: added, removed, renamed; schema: renamed, split, moved; schemas: merged; "
    "operation: added, removed, changed to streaming; parameter: moved; body schema: renamed"
)


def accept_all(case: Case) -> list[dict[str, str]]:
    """Return the `accept` entries that the diagnostics of a refused case suggest."""
    elements = [re.findall("`([^`]+)`", diagnostic.message)[0] for diagnostic in case.outcome.refused]
    codes = [diagnostic.code for diagnostic in case.outcome.refused]
    return [{"code": code, "element": name, "reason": kinds.REASON} for code, name in zip(codes, elements, strict=True)]


@every_case
def test_the_last_spec_changes_what_its_file_says(case: Case) -> None:
    assert case.lines == case.told["events"]


@every_case
def test_old_and_new_read_what_the_other_wrote(case: Case) -> None:
    outcome = case.run(accept=accept_all(case))
    assert not outcome.refused
    before, after = (wire.Contract(image) for image in outcome.images)
    assert wire.find_lost_messages(before, after, wire.write(before)) == []
    assert wire.find_changed_messages(after, before, wire.write(after), set(before.names)) == []


def test_buf_finds_nothing_in_any_kind(tmp_path: Path) -> None:
    images = [case.run(accept=accept_all(case)).images for case in CASES]
    before, after = (FileDescriptorSet(file=[file for pair in images for file in pair[at].file]) for at in (0, 1))
    assert history.find_breaking_changes(after, before, "FILE", tmp_path) == []
    assert history.find_breaking_changes(after, before, "WIRE_JSON", tmp_path) == []


@every_case
def test_no_kind_gives_a_number_a_second_meaning(case: Case) -> None:
    memory = history.Memory()
    outcome = case.run(accept=accept_all(case))
    assert (memory.take(outcome.before), memory.take(outcome.after)) == ([], [])


@every_refusal
def test_an_acceptance_lets_a_change_through_once_and_is_on_record(case: Case) -> None:
    assert all("`accept: [{code: lock/rpc-changed, element: " in diagnostic.hint for diagnostic in case.outcome.refused)
    outcome = case.run(accept=accept_all(case))
    assert [item.element for item in outcome.after.accepted] == [item["element"] for item in accept_all(case)]
    assert [item.reason for item in outcome.after.accepted] == [kinds.REASON for _ in accept_all(case)]
    assert {event.change for event in outcome.events} >= {"accepted"}
    lock = parse_lock(format_lock(outcome.after), "lock")
    assert lock == outcome.after
    first, last = (read_document(json.dumps(kinds.build_document(spec)), "spec") for spec in case.told["specs"])
    profile = case.profile(accept=accept_all(case))
    assert preprocess(last, profile, lock, []).lock == lock
    with pytest.raises(Failure, match="lock/rpc-changed"):
        preprocess(first, profile, lock, [])


def test_every_kind_has_a_case() -> None:
    kinds_of_cases = {case.told["kind"] for case in CASES}
    for group in WORDS.split("; "):
        what, _, ways = group.partition(": ")
        for way in ways.split(", "):
            assert any(kind.startswith(f"{what} {way}") for kind in kinds_of_cases), f"{what} {way}"


def test_the_table_has_every_case_and_no_other() -> None:
    assert kinds.format_table(CASES) in kinds.INDEX.read_text(encoding="utf-8")


def test_the_rules_of_all_kinds_have_pages() -> None:
    assert {case.told["rule"] for case in CASES} <= {path.stem for path in kinds.INDEX.parent.glob("*/*.md")}
