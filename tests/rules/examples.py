"""The example of a page, as preprocess sees it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.jvm.swagger_converter import convert_to_openapi
from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import LocatedMap, make_map, read_document
from pipeline.model.document.validated import validate
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.lock.text import parse_lock
from pipeline.model.profile.profile import Limits, Profile
from pipeline.model.source import SchemaSource
from preprocess.passes import preprocess
from preprocess.records import PreprocessResult
from tests.rules import pages
from tests.rules.pages import Page, elements

WRAPPING = "operation:example"
AROUND = "/paths/~1example/"
_IMPORT = re.compile(r'^import "([^"]+)";', re.MULTILINE)


@dataclass(slots=True)
class Example:
    """The example of one page, and what it became.

    Attributes:
        page: the page.
        profile: with the page's own choices.
        wrapped: whether the page gives components only, so that the operation around them is not its own.
        done: what preprocess made of it; None where that failed.
        protos: the proto files by name.
        diagnostics: what preprocess left out or found, as the page lists it.
        refused: what protoc and the checks of lock and coverage found; empty when all is well.
    """

    page: Page
    profile: Profile
    wrapped: bool = False
    done: PreprocessResult | None = None
    protos: dict[str, str] = field(default_factory=dict)
    diagnostics: list[str] = field(default_factory=list)
    refused: list[Diagnostic] = field(default_factory=list)

    @property
    def built(self) -> PreprocessResult:
        """What preprocess made of it; an assertion fails where that refused it."""
        assert self.done is not None, f"{self.page.stem}: {'; '.join(self.diagnostics)}"
        return self.done

    @property
    def elements(self) -> dict[str, str]:
        """All elements, in the order of the files: messages and enums, then services."""
        files = sorted(self.protos.items(), key=lambda item: item[0] != self.profile.files.messages)
        return {name: text for _, file in files for name, text in elements(file).items()}

    @property
    def files(self) -> list[str]:
        """Each file with what it holds and what it imports."""
        return [
            f"{name}: {', '.join(words.split()[1] for words in elements(text))}"
            + (f" (imports {', '.join(found)})" if (found := _IMPORT.findall(text)) else "")
            for name, text in sorted(self.protos.items())
        ]

    @property
    def required(self) -> list[str]:
        """The elements that the page must show: all but wrapping and supporting messages."""
        contract = self.built.contract
        messages = [item for item in contract.messages.values() if not self._is_helper(item.schema)]
        enums = [item for item in contract.enums.values() if not self._is_helper(item.schema)]
        return [f"message {item.name}" for item in messages] + [f"enum {item.name}" for item in enums]

    def _is_helper(self, source: SchemaSource) -> bool:
        return source.is_shared or (self.wrapped and source.text.startswith(WRAPPING))

    def refreshed(self) -> Page:
        """The page with the blocks that it should have."""
        shown = {*elements(self.page.block(pages.PROTO)), *self.required}
        text = "\n\n".join(text for name, text in self.elements.items() if name in shown)
        page = self.page.with_block(pages.PROTO, text + "\n")
        if pages.FINDINGS in page.infos:
            page = page.with_block(pages.FINDINGS, "".join(f"{line}\n" for line in self.diagnostics))
        if pages.FILES in page.infos:
            page = page.with_block(pages.FILES, "".join(f"{line}\n" for line in self.files))
        return page


def preprocessed(page: Page) -> Example:
    """A page's example, preprocessed: the earlier specs first, each with the lock of the one before."""
    example = Example(page, profile_of(page))
    lock = lock_of(page, example.profile)
    try:
        for text in page.blocks(pages.PREVIOUS):
            lock = preprocess(document_of(text)[0], example.profile, lock, []).lock
        document, example.wrapped = document_of(page.block(pages.SPEC))
        overlays = [read_document(text, "overlay.yaml") for text in page.blocks(pages.OVERLAY)]
        example.done = preprocess(document, example.profile, lock, overlays)
    except Failure as failure:
        example.diagnostics = [_diagnostic(item) for item in failure.diagnostics]
        return example
    found = [_line(item.rule, item.place, item.reason) for item in example.done.contract.exclusions]
    found += [_diagnostic(item) for item in example.done.diagnostics]
    example.diagnostics = [line for line in dict.fromkeys(found) if not (example.wrapped and line.startswith(AROUND))]
    return example


def _diagnostic(item: Diagnostic) -> str:
    return _line(f"{item.severity}[{item.code}]", item.place, item.message)


def _line(what: str, place: Place, why: str) -> str:
    return f"{place.pointer or place.file}: {what}: {why}"


def profile_of(page: Page) -> Profile:
    """The profile of a page: package and file called after its stem, no comments, and what the page says otherwise."""
    stem = page.stem.replace("-", "_")
    base = {
        "name": page.stem,
        "package": f"{stem}.v1",
        "files": {"messages": f"{stem}/v1/{stem}.proto"},
        "comments": "none",
    }
    given = read_document(page.block(pages.PROFILE) or "{}", f"{page.stem}.md")
    return validate(Profile, make_map({**base, **given}, given.place), "profile/invalid", "mend the page")


def lock_of(page: Page, profile: Profile) -> Lock:
    """The lock of a page, with the head and the file names that the page does not repeat."""
    text = page.block(pages.LOCK)
    if not text:
        return create_empty_lock(profile.package)
    document = read_document(text, f"{page.stem}.md")
    for kind in ("messages", "enums"):
        for entry in document.get(kind, {}).values():
            entry.setdefault("file", profile.files.messages)
    return parse_lock(json.dumps({"version": 1, "package": profile.package, **document}), f"{page.stem}.md")


def document_of(text: str) -> tuple[LocatedMap, bool]:
    """A page's spec, and whether it is components alone: these get one operation, whose answer has all of them."""
    document = read_document(text, "spec.yaml")
    if "swagger" in document:
        with tempfile.TemporaryDirectory() as folder:
            return convert_to_openapi(document, Path(folder), Limits(), os.environ), False
    document.setdefault("openapi", "3.1.0")
    if "paths" in document:
        return document, False
    keys = document["components"]["schemas"]
    properties = {f"p{number}": {"$ref": f"#/components/schemas/{key}"} for number, key in enumerate(keys, start=1)}
    schema = {"type": "object", "properties": properties}
    answer = {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}}
    around = {"paths": {"/example": {"get": {"operationId": "example", "responses": answer}}}}
    document["paths"] = read_document(json.dumps(around), "spec.yaml")["paths"]
    return document, True
