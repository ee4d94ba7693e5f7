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
    """What the last spec of a case became."""

    before: Lock
    after: Lock
    events: tuple[Event, ...] = ()
    refused: tuple[Diagnostic, ...] = ()

    @property
    def images(self) -> tuple[FileDescriptorSet, FileDescriptorSet]:
        """The contract before, with what was accepted, and after."""
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
        """The case as a row of the table."""
        rule = self.told["rule"]
        test = f"[{self.stem}](../../tests/evolution/kinds/{self.stem}.yaml)"
        page = page_path(rule).relative_to(INDEX.parent)
        return f"| {self.told['kind']} | [{rule}]({page}) | {self.told['outcome']} | {test} |"

    def profile(self, **more: Any) -> Profile:
        """The profile of the case: package and file called after it, and its own choices."""
        name = self.stem.replace("-", "_")
        base = {"name": self.stem, "package": f"{name}.v1", "files": {"messages": f"{name}/v1/{name}.proto"}}
        made = {**base, **self.told.get("profile", {}), **more}
        return validate(
            Profile, make_map(made, read_document("{}", self.path.name).place), "profile/invalid", "mend it"
        )

    @cached_property
    def outcome(self) -> Outcome:
        """The outcome under the profile as the case has it."""
        return self.run()

    def run(self, **more: Any) -> Outcome:
        """Run all specs, each with the lock of the one before."""
        profile = self.profile(**more)
        before = lock = create_empty_lock(profile.package)
        events: list[Event] = []
        for spec in self.told["specs"]:
            before = lock
            try:
                done = preprocess(read_document(json.dumps(whole(spec)), self.path.name), profile, lock, [])
            except Failure as failure:
                return Outcome(before, before, refused=tuple(failure.diagnostics))
            lock, events = done.lock, done.events
        return Outcome(before, lock, tuple(events))

    @property
    def lines(self) -> list[str]:
        """What the last spec changes, as the file has it."""
        found = [f"{item.code} {item.message}" for item in self.outcome.refused]
        return found or [f"{event.change} {event.element}: {event.detail}" for event in self.outcome.events]


def whole(spec: dict[str, Any]) -> dict[str, Any]:
    """A document of a spec; component schemas alone are all in the answer of one operation."""
    head = {"openapi": "3.1.0", "info": {"title": "Case", "version": "1"}}
    if "paths" in spec:
        return {**head, **spec}
    properties = {key.rpartition("_")[2].lower(): {"$ref": f"#/components/schemas/{key}"} for key in spec}
    content = {"application/json": {"schema": {"type": "object", "properties": properties}}}
    answer = {"200": {"description": "OK", "content": content}}
    schemas = {key: {"type": "object", **schema} if "properties" in schema else schema for key, schema in spec.items()}
    paths = {"/all": {"get": {"operationId": "all", "responses": answer}}}
    return {**head, "paths": paths, "components": {"schemas": schemas}}


def cases() -> list[Case]:
    """All cases, by their file names."""
    return [Case(path, yaml.safe_load(path.read_text())) for path in sorted(FOLDER.glob("*.yaml"))]


def table(listed: list[Case]) -> str:
    """The table of all kinds."""
    return HEAD + "".join(f"{case.row}\n" for case in listed)


def refresh() -> None:
    """Rewrite what is expected."""
    listed = cases()
    for case in listed:
        kept = case.path.read_text().partition("\nevents:\n")[0].rstrip("\n")
        lines = "".join(f"- {json.dumps(line, ensure_ascii=False)}\n" for line in case.lines)
        case.path.write_text(f"{kept}\nevents:\n{lines}" if lines else f"{kept}\nevents: []\n")
    text = INDEX.read_text()
    start = text.index(HEAD)
    INDEX.write_text(text[:start] + table(listed) + text[start:].partition("\n\n")[2])


if __name__ == "__main__":
    refresh()
