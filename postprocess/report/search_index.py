"""What the HTML report can look up: every message, field, enum, value, rpc and rule, and the schema each comes from.

It is large, so it is told in lists instead of mappings, and rules and places that repeat are told once. The scripts in
`templates/report` read it; `model.js` says the same in JavaScript.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from pipeline.model.contract import Contract, Enum, Field, Message, Rpc
from pipeline.model.diagnostics import Place
from pipeline.model.document.located import escape_token
from pipeline.model.paths import ROOT
from postprocess.report.proto_declarations import declarations

# Shorter pointers are whole sections of a document, such as `/components/schemas`.
ROOT_TOKENS = 3
CATALOGUE = ROOT / "rules" / "catalogue"
_COMMENT = "// Schema: "
Schemas = Callable[[str], Any]


@dataclass(slots=True)
class Material:
    """What a report shows beside its own data.

    Attributes:
        after: the files of this build, by path.
        before: those that were there before.
        schema: the value at a pointer of the specification; raises KeyError where there is none.
        earlier: the same of the specification that the files before were made from; None where it is not at hand.
    """

    after: Mapping[str, bytes] = field(default_factory=dict)
    before: Mapping[str, bytes] = field(default_factory=dict)
    schema: Schemas | None = None
    earlier: Schemas | None = None


class _Pool:
    """Values that repeat, each told once and named by its index."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self.indexes: dict[Any, int] = {}

    def index(self, value: Any) -> int:
        if value not in self.indexes:
            self.indexes[value] = len(self.values)
            self.values.append(value)
        return self.indexes[value]


class _Writer:
    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts
        self.documents, self.roots, self.rules, self.files = _Pool(), _Pool(), _Pool(), _Pool()

    def place(self, place: Place) -> list[Any]:
        """Document, root, rest of the pointer and line."""
        root, rest = split_pointer(place.pointer)
        return [self.documents.index(place.file), self.roots.index(root), rest, place.line]

    def text(self, name: str, *places: Place) -> str:
        """The text of an element, in whose comment `^` stands for the place that is told anyway."""
        text = self.texts.get(name, "")
        for place in places:
            text = text.replace(f"{_COMMENT}{place.pointer}\n", f"{_COMMENT}^\n", 1)
        return text

    def message(self, message: Message) -> list[Any]:
        fields = [self.field(item, message.place) for item in message.fields]
        return [
            message.name,
            self.files.index(message.file),
            self.place(message.place),
            self.rules.index(message.rules),
            str(message.form),
            int(bool(message.deprecated)),
            self.text(message.name, message.place),
            fields,
        ]

    def field(self, item: Field, around: Place) -> list[Any]:
        """A property of the message's own schema is told by its line alone."""
        own = (around.file, f"{around.pointer}/properties/{escape_token(item.json_name)}")
        places = [place.line if (place.file, place.pointer) == own else self.place(place) for place in item.places]
        json_name = item.json_name if item.json_name != item.name else 0
        return [item.number, item.name, json_name, self.rules.index(item.rules), int(bool(item.deprecated)), places]

    def enum(self, enum: Enum) -> list[Any]:
        values = [
            [value.number, value.name, [text for text in value.json if text is not None]] for value in enum.values
        ]
        return [
            enum.name,
            self.files.index(enum.file),
            self.place(enum.place),
            self.rules.index(enum.rules),
            int(bool(enum.deprecated)),
            self.text(enum.name, enum.place),
            values,
        ]

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
    """A pointer as the component or operation that it points into, and the rest."""
    parts = pointer.split("/")
    return "/".join(parts[: ROOT_TOKENS + 1]), "/".join(["", *parts[ROOT_TOKENS + 1 :]]) if parts[4:] else ""


def atlas(contract: Contract, material: Material, changed: Iterable[str]) -> dict[str, Any]:
    """Everything that can be looked up, as plain data.

    Args:
        contract: numbered.
        material: the files, and the specification they come from.
        changed: the elements that the report says have changed.
    """
    writer = _Writer(declarations(material.after))
    service_files = _service_files(material.after, contract)
    found: dict[str, Any] = {
        "messages": [writer.message(item) for _, item in sorted(contract.messages.items())],
        "enums": [writer.enum(item) for _, item in sorted(contract.enums.items())],
        "rpcs": [
            writer.rpc(item, service_files.get(item.service, ""))
            for item in sorted(contract.rpcs, key=lambda rpc: (rpc.service, rpc.name))
        ],
    }
    names = {element if "/" in element else element.partition(".")[0] for element in changed}
    touched = _roots_of(names, contract)
    before = declarations(material.before) if material.before else {}
    schemas = _schemas(writer.roots.values, material.schema)
    for root in schemas:
        writer.roots.index(root)
    return found | {
        "files": writer.files.values,
        "documents": writer.documents.values,
        "roots": writer.roots.values,
        "rules": [list(rules) for rules in writer.rules.values],
        "rule_pages": _rule_pages({rule for rules in writer.rules.values for rule in rules}),
        "schemas": [schemas.get(root) for root in writer.roots.values],
        "before": {name: before[name] for name in sorted(names & before.keys())},
        "earlier": None if material.earlier is None else _earlier(touched, schemas, material.earlier),
    }


def schemas_of(found: Mapping[str, Any]) -> dict[str, Any]:
    """The schemas that an atlas shows, by their pointers."""
    told = zip(found["roots"], found["schemas"], strict=True)
    return {root: schema for root, schema in told if schema is not None}


def _schemas(roots: Iterable[str], schema: Schemas | None) -> dict[str, Any]:
    """What stands at each root, and at each component that these refer to."""
    found: dict[str, Any] = {}
    waiting = sorted(root for root in roots if root.count("/") == ROOT_TOKENS)
    while waiting and schema is not None:
        root = waiting.pop()
        if root in found:
            continue
        try:
            found[root] = schema(root)
        except KeyError:
            continue
        waiting += _references(found[root])
    return dict(sorted(found.items()))


def _references(value: Any) -> list[str]:
    found, waiting = [], [value]
    while waiting:
        current = waiting.pop()
        if isinstance(current, dict):
            target = current.get("$ref")
            if isinstance(target, str) and target.startswith("#/"):
                found.append(split_pointer(target[1:])[0])
            waiting.extend(current.values())
        elif isinstance(current, list):
            waiting.extend(current)
    return found


def _roots_of(names: Iterable[str], contract: Contract) -> set[str]:
    """Where in the specification messages, enums and rpcs come from, their fields included."""
    places: list[Place] = []
    for name in names:
        if name in contract.messages:
            message = contract.messages[name]
            places += [message.place, *(place for item in message.fields for place in item.places)]
        elif name in contract.enums:
            places.append(contract.enums[name].place)
    places += [place for rpc in contract.rpcs if f"{rpc.service}/{rpc.name}" in names for place in rpc.places]
    return {split_pointer(place.pointer)[0] for place in places}


def _earlier(roots: Iterable[str], schemas: Mapping[str, Any], earlier: Schemas) -> dict[str, Any]:
    """What stood before at the roots where something else stands now; null where nothing did."""
    found = {}
    for root in sorted(roots):
        now = schemas.get(root)
        try:
            then = earlier(root)
        except KeyError:
            then = None
        if then != now:
            found[root] = then
    return found


def _service_files(files: Mapping[str, bytes], contract: Contract) -> dict[str, str]:
    """The file that each service stands in."""
    services = {rpc.service for rpc in contract.rpcs}
    return {
        service: name
        for name, content in sorted(files.items())
        if name.endswith(".proto")
        for service in services
        if f"\nservice {service} {{".encode() in content
    }


def _rule_pages(rules: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return the title and the page of each rule that has one; the title is the heading of the page."""
    pages = {page.stem: page for page in CATALOGUE.glob("*/*.md")}
    return {
        rule: (
            pages[rule].read_text(encoding="utf-8").partition("\n")[0].lstrip("# "),
            pages[rule].relative_to(ROOT).as_posix(),
        )
        for rule in sorted(pages.keys() & set(rules))
    }


def namespace_of(file: str) -> str:
    """What the pages put together: the types and the service of one namespace."""
    return PurePosixPath(file).stem.removesuffix("_service")
