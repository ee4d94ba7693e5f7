"""Kinds of change: each a file in `kinds/`, with specs one after the other and what the last of them changes.

`python -m tests.evolution.kinds` rewrites the events of each file and the table in
`rules/catalogue/README.md`; read the difference before keeping it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.changes import Event
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import make_map, read_document
from pipeline.model.document.validated import validate
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.profile.profile import Profile
from postprocess.lock.acceptances import apply_accepted_rpcs
from postprocess.lock.descriptors import descriptors_of_lock
from preprocess.passes import preprocess
from tests.rules.pages import page_path

FOLDER = Path(__file__).parent / "kinds"
INDEX = Path(__file__).resolve().parents[2] / "rules" / "catalogue" / "README.md"
HEAD = "| kind of change | rule | outcome | test |\n| --- | --- | --- | --- |\n"
REASON = "nobody calls it yet, says the owner"


@dataclass(frozen=True)
class Outcome:
    """The locks before and after the last specification of a case, its changes and its errors."""

    before: Lock
    after: Lock
    events: tuple[Event, ...] = ()
    refused: tuple[Diagnostic, ...] = ()

    @property
    def images(self) -> tuple[FileDescriptorSet, FileDescriptorSet]:
        """Return the descriptors before, with the accepted changes, and after."""
        return descriptors_of_lock(apply_accepted_rpcs(self.before, self.after)), descriptors_of_lock(self.after)


@dataclass(frozen=True)
class Case:
    """One file."""

    path: Path
    told: dict[str, Any] = field(hash=False)

    @property
    def stem(self) -> str:
        return self.path.stem

    @property
    def row(self) -> str:
        """Return the row of the case in the table."""
        rule = self.told["rule"]
        test = f"[{self.stem}](../../tests/evolution/kinds/{self.stem}.yaml)"
        page = page_path(rule).relative_to(INDEX.parent)
        return f"| {self.told['kind']} | [{rule}]({page}) | {self.told['outcome']} | {test} |"

    def profile(self, **more: Any) -> Profile:
        """Return the profile of the case: package and file are named after it, its own keys override the defaults."""
        name = self.stem.replace("-", "_")
        base = {"name": self.stem, "package": f"{name}.v1", "files": {"messages": f"{name}/v1/{name}.proto"}}
        values = {**base, **self.told.get("profile", {}), **more}
        return validate(
            Profile, make_map(values, read_document("{}", self.path.name).place), "profile/invalid", "mend it"
        )

    @cached_property
    def outcome(self) -> Outcome:
        """Return the outcome with the profile of the case."""
        return self.run()

    def run(self, **more: Any) -> Outcome:
        """Run all specs, each with the lock of the one before."""
        profile = self.profile(**more)
        before = lock = create_empty_lock(profile.package)
        events: list[Event] = []
        for spec in self.told["specs"]:
            before = lock
            try:
                result = preprocess(read_document(json.dumps(build_document(spec)), self.path.name), profile, lock, [])
            except Failure as failure:
                return Outcome(before, before, refused=tuple(failure.diagnostics))
            lock, events = result.lock, result.events
        return Outcome(before, lock, tuple(events))

    @property
    def lines(self) -> list[str]:
        """Return the changes of the last specification in the form of the file."""
        refusals = [f"{item.code} {item.message}" for item in self.outcome.refused]
        return refusals or [f"{event.change} {event.element}: {event.detail}" for event in self.outcome.events]


def build_document(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the document of a case; if it has only component schemas, the response of one operation uses them all."""
    head = {"openapi": "3.1.0", "info": {"title": "Case", "version": "1"}}
    if "paths" in spec:
        return {**head, **spec}
    properties = {key.rpartition("_")[2].lower(): {"$ref": f"#/components/schemas/{key}"} for key in spec}
    content = {"application/json": {"schema": {"type": "object", "properties": properties}}}
    answer = {"200": {"description": "OK", "content": content}}
    schemas = {key: {"type": "object", **schema} if "properties" in schema else schema for key, schema in spec.items()}
    paths = {"/all": {"get": {"operationId": "all", "responses": answer}}}
    return {**head, "paths": paths, "components": {"schemas": schemas}}


def read_cases() -> list[Case]:
    """Return all cases, sorted by file name."""
    return [Case(path, yaml.safe_load(path.read_text())) for path in sorted(FOLDER.glob("*.yaml"))]


def format_table(all_cases: list[Case]) -> str:
    """Return the table of all cases as Markdown."""
    return HEAD + "".join(f"{case.row}\n" for case in all_cases)


def rewrite_cases() -> None:
    """Rewrite the expected changes of all cases, and the table."""
    all_cases = read_cases()
    for case in all_cases:
        head = case.path.read_text().partition("\nevents:\n")[0].rstrip("\n")
        lines = "".join(f"- {json.dumps(line, ensure_ascii=False)}\n" for line in case.lines)
        case.path.write_text(f"{head}\nevents:\n{lines}" if lines else f"{head}\nevents: []\n")
    text = INDEX.read_text()
    start = text.index(HEAD)
    INDEX.write_text(text[:start] + format_table(all_cases) + text[start:].partition("\n\n")[2])


if __name__ == "__main__":
    rewrite_cases()
