"""Build the search index of the HTML report: every message, field, enum, value, rpc and rule, with its schema.

The index of the whole OpenSearch API has about 15,000 entries, so it uses lists instead of objects, and repeated rules
and places are stored once. The scripts in `templates/report` read it; `model.js` mirrors the layout in JavaScript.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.model.contract import Contract, Enum, Field, Message, Rpc
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import escape_token
from pipeline.model.paths import ROOT
from postprocess.report.inline_json import format_script_json
from postprocess.report.proto_declarations import split_declarations

# Pointers with fewer tokens are whole sections of a document, such as `/components/schemas`.
ROOT_TOKENS = 3
CATALOGUE = ROOT / "rules" / "catalogue"
_COMMENT = "// Schema: "
Schemas = Callable[[str], Any]


@dataclass(slots=True)
class Material:
    """The files and schemas that a report shows, of this build and of the earlier one.

    `schema` returns the value at a pointer of the specification, or raises KeyError. `earlier` does the same for the
    earlier specification; it is None if that is not available.
    """

    after: Mapping[str, bytes] = field(default_factory=dict)
    before: Mapping[str, bytes] = field(default_factory=dict)
    schema: Schemas | None = None
    earlier: Schemas | None = None


class _Pool:
    """A pool of repeated values; each is stored once and referred to by its index."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.indexes: dict[Any, int] = {}

    def index(self, value: Any) -> int:
        if value not in self.indexes:
            self.indexes[value] = len(self.values)
            self.values.append(value)
        return self.indexes[value]


class _Writer:
    """Writes the entries of the index as lists, in the layout that `model.js` reads."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.documents, self.roots, self.rules, self.files = _Pool(), _Pool(), _Pool(), _Pool()

    def place(self, place: Place) -> list[Any]:
        """Write a place as document, root, remaining pointer and line."""
        root, below = split_pointer(place.pointer)
        return [self.documents.index(place.file), self.roots.index(root), below, place.line]

    def text(self, name: str, *places: Place) -> str:
        """Write the proto text of an element; `^` replaces its place in the comment, which the entry has anyway."""
        text = self.texts.get(name, "")
        for place in places:
            text = text.replace(f"{_COMMENT}{place.pointer}\n", f"{_COMMENT}^\n", 1)
        return text

    def origin(self, item: Message | Enum) -> list[Any]:
        return [item.name, self.files.index(item.file), self.place(item.place), self.rules.index(item.rules)]

    def message(self, message: Message) -> list[Any]:
        fields = [self.field(item, message.place) for item in message.fields]
        text = self.text(message.name, message.place)
        return [*self.origin(message), str(message.form), int(bool(message.deprecated)), text, fields]

    def field(self, item: Field, around: Place) -> list[Any]:
        """Write a field; a property of the message's own schema needs only its line as a place."""
        direct = (around.file, f"{around.pointer}/properties/{escape_token(item.json_name)}")
        places = [place.line if (place.file, place.pointer) == direct else self.place(place) for place in item.places]
        json_name = item.json_name if item.json_name != item.name else 0
        return [item.number, item.name, json_name, self.rules.index(item.rules), int(bool(item.deprecated)), places]

    def enum(self, enum: Enum) -> list[Any]:
        values = [
            [value.number, value.name, [text for text in value.json if text is not None]] for value in enum.values
        ]
        return [*self.origin(enum), int(bool(enum.deprecated)), self.text(enum.name, enum.place), values]

    def rpc(self, rpc: Rpc, file: str) -> list[Any]:
        name = f"{rpc.service}/{rpc.name}"
        forms = [
            [binding.method, binding.path, self.place(place)]
            for binding, place in zip(rpc.bindings, rpc.places, strict=False)
        ]
        return [
            name,
            self.files.index(file),
            rpc.group,
            rpc.request,
            rpc.response,
            self.rules.index(rpc.rules),
            int(bool(rpc.deprecated)),
            self.text(name, *rpc.places[:1]),
            forms,
        ]


def split_pointer(pointer: str) -> tuple[str, str]:
    """Split a pointer into the component or operation that it points into, and the remainder."""
    parts = pointer.split("/")
    return "/".join(parts[: ROOT_TOKENS + 1]), "/".join(["", *parts[ROOT_TOKENS + 1 :]]) if parts[4:] else ""


def build_search_index(contract: Contract, material: Material, changed: Iterable[str]) -> dict[str, Any]:
    """Return the search index as plain data; `changed` are the elements that the report lists as changed."""
    writer = _Writer(split_declarations(material.after))
    service_files = _find_service_files(material.after, contract)
    elements: dict[str, Any] = {
        "messages": [writer.message(item) for _, item in sorted(contract.messages.items())],
        "enums": [writer.enum(item) for _, item in sorted(contract.enums.items())],
        "rpcs": [
            writer.rpc(item, service_files.get(item.service, ""))
            for item in sorted(contract.rpcs, key=lambda rpc: (rpc.service, rpc.name))
        ],
    }
    names = {element if "/" in element else element.partition(".")[0] for element in changed}
    changed_roots = _find_roots(names, contract)
    before = split_declarations(material.before) if material.before else {}
    schemas = _collect_schemas(writer.roots.values, material.schema)
    for root in schemas:
        writer.roots.index(root)
    return elements | {
        "files": writer.files.values,
        "documents": writer.documents.values,
        "roots": writer.roots.values,
        "rules": [list(rules) for rules in writer.rules.values],
        "rule_pages": _find_rule_pages({rule for rules in writer.rules.values for rule in rules}),
        "schemas": [schemas.get(root) for root in writer.roots.values],
        "before": {name: before[name] for name in sorted(names & before.keys())},
        "earlier": None if material.earlier is None else _diff_schemas(changed_roots, schemas, material.earlier),
    }


def list_shown_schemas(index: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schemas that a search index shows, by pointer."""
    pairs = zip(index["roots"], index["schemas"], strict=True)
    return {root: schema for root, schema in pairs if schema is not None}


def _collect_schemas(roots: Iterable[str], schema: Schemas | None) -> dict[str, Any]:
    """Return the value at each root, and at each component reachable by references."""
    values: dict[str, Any] = {}
    waiting = sorted(root for root in roots if root.count("/") == ROOT_TOKENS)
    while waiting and schema is not None:
        root = waiting.pop()
        if root in values:
            continue
        try:
            values[root] = schema(root)
        except KeyError:
            continue
        waiting += _find_references(values[root])
    return dict(sorted(values.items()))


def _find_references(value: Any) -> list[str]:
    targets, waiting = [], [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            target = current.get("$ref")
            if isinstance(target, str) and target.startswith("#/"):
                targets.append(split_pointer(target[1:])[0])
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
    return targets


def _find_roots(names: Iterable[str], contract: Contract) -> set[str]:
    places: list[Place] = []
    for name in names:
        if name in contract.messages:
            message = contract.messages[name]
            places += [message.place, *(place for item in message.fields for place in item.places)]
        elif name in contract.enums:
            places.append(contract.enums[name].place)
    places += [place for rpc in contract.rpcs if f"{rpc.service}/{rpc.name}" in names for place in rpc.places]
    return {split_pointer(place.pointer)[0] for place in places}


def _diff_schemas(roots: Iterable[str], schemas: Mapping[str, Any], earlier: Schemas) -> dict[str, Any]:
    """Return the earlier value of each root whose value differs now; None if the root is new."""
    changed = {}
    for root in sorted(roots):
        now = schemas.get(root)
        try:
            then = earlier(root)
        except KeyError:
            then = None
        if then != now:
            changed[root] = then
    return changed


def _find_service_files(files: Mapping[str, bytes], contract: Contract) -> dict[str, str]:
    services = {rpc.service for rpc in contract.rpcs}
    return {
        service: name
        for name, content in sorted(files.items())
        if name.endswith(".proto")
        for service in services
        if f"\nservice {service} {{".encode() in content
    }


def _find_rule_pages(rules: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the title and the page of each rule that has one; the title is the heading of the page."""
    pages = {page.stem: page for page in CATALOGUE.glob("*/*.md")}
    return {
        rule: (
            pages[rule].read_text(encoding="utf-8").partition("\n")[0].lstrip("# "),
            pages[rule].relative_to(ROOT).as_posix(),
        )
        for rule in sorted(pages.keys() & set(rules))
    }


def get_namespace(file: str) -> str:
    """Return the namespace of a proto file; the types and the service of a namespace share it."""
    return PurePosixPath(file).stem.removesuffix("_service")


@dataclass(frozen=True, slots=True)
class Pages:
    """The data of the page: the search index as JSON for a script, and its schemas by pointer as compressed JSON."""

    text: str = "{}"
    schemas: bytes = b""


def build_pages(contract: Contract, material: Material, changed: Iterable[str]) -> Pages:
    """Build the search index and collect the schemas that it shows; see `build_search_index` for the arguments."""
    index = build_search_index(contract, material, changed)
    schemas = json.dumps(list_shown_schemas(index), ensure_ascii=False, separators=(",", ":"), default=str)
    return Pages(format_script_json(index), gzip.compress(schemas.encode(), mtime=0))


def read_schemas(path: Path) -> Schemas | None:
    """Read the schemas that an earlier build stored; return None if the file is missing or damaged."""
    try:
        schemas: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    return schemas.__getitem__
