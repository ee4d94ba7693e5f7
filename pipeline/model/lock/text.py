"""Read and write the text of a lock.

The lock is YAML with one line for each field, value and rpc. A lock as a build writes it is read line by line, which
takes a fraction of the time that a YAML parser needs. Any other text is read as YAML, with positions for diagnostics.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

from pipeline.model.contract import SCALARS
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, locate_path, read_document
from pipeline.model.document.validated import StrictModel, validate
from pipeline.model.lock.model import FIRST_RESERVED, LAST_RESERVED, RETIRED, Lock, LockedEnum, LockedMessage, State

VERSION = 1
HINT = "restore the file from version control; it is written by builds only"
HEAD = """\
# The memory of every name and number ever given. Written by builds; nothing is ever deleted from it.
# A conflict here means that two branches gave out the same number: see "How compatibility is kept" in the README.
"""
_STRING = r'"(?:[^"\\]|\\.)*"'
_PAIR = re.compile(rf'(\w+): ({_STRING}|\{{(?:[^{{}}"]|{_STRING})*\}}|[^,{{}}"]+)')
_ENTRY = re.compile(rf"({_STRING}|[^:]+):(?: (.+))?")
_LISTS = {0: ("extensions", "rpcs"), 2: ("fields", "values")}
_BOOLEANS = {"true": True, "false": False}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_RESERVED_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def parse_lock(text: str | bytes, file: str) -> Lock:
    """Read a lock; bytes are read as UTF-8. Diagnostics show `file`.

    Raises:
        Failure: `lock/…` if the text is no lock, has another version, or gives a number twice.
    """
    lock = _parse_canonical(text)
    return lock if lock is not None else _parse_yaml(text, file)


def _parse_canonical(text: str | bytes) -> Lock | None:
    """Return the lock if its text is exactly what a build writes and it is valid; else None."""
    try:
        plain = text.decode() if isinstance(text, bytes) else text
        lock = Lock.model_validate(read_lines(plain), strict=False)
    except (ValueError, RecursionError):
        return None
    is_valid = format_lock(lock) == plain and not any(_check_lock(lock, LocatedMap()))
    return lock if is_valid else None


def read_lines(text: str) -> dict[str, Any]:
    """Read the YAML that `format_lock` writes, line by line.

    The result for any other text is undefined: format the lock again and compare it with the text.

    Raises:
        ValueError: if a line has another format.
    """
    parents: list[Any] = [{}]
    for line in text.split("\n"):
        body = line.lstrip(" ")
        if body.startswith("- {"):
            if type(parents[-1]) is not list:
                raise ValueError(line)
            parents[-1].append(_parse_pairs(body))
        elif body and not body.startswith("#"):
            depth = (len(line) - len(body)) // 2
            del parents[depth + 1 :]
            parents.append(_add_entry(body, depth, parents[-1]))
    document: dict[str, Any] = parents[0]
    return document


def _add_entry(body: str, depth: int, parent: Any) -> Any:
    """Add the entry of a line to its parent; return its value, the parent of deeper lines."""
    match = _ENTRY.fullmatch(body)
    if match is None or type(parent) is not dict:
        raise ValueError(body)
    key, text = _parse_value(match[1]), match[2]
    parent[key] = _parse_value(text) if text else [] if key in _LISTS.get(depth, ()) else {}
    return parent[key]


def _parse_pairs(text: str) -> dict[str, Any]:
    return {key: _parse_value(value) for key, value in _PAIR.findall(text)}


def _parse_value(text: str) -> Any:
    first = text[0]
    if first.isalpha() or first == "_":
        return _BOOLEANS.get(text, text)
    if first == "{" and text != "{}":
        return _parse_pairs(text[1:])
    return json.loads(text)


def _parse_yaml(text: str | bytes, file: str) -> Lock:
    """Read a lock as YAML; diagnostics show the line."""
    try:
        document = read_document(text, file, exact=True)
    except Failure as failure:
        raise Failure(
            Diagnostic("lock/unreadable", item.message, item.place, HINT) for item in failure.diagnostics
        ) from None
    if document.get("version") != VERSION:
        place = locate_path(document, ["version"])
        message = f"expected version {VERSION} of the lock format, found {document.get('version')!r}"
        hint = "use the spec2proto release that wrote the lock, or a newer one"
        raise Failure(Diagnostic("lock/version", message, place, hint))
    lock = validate(Lock, document, "lock/invalid", HINT)
    diagnostics = list(_check_lock(lock, document))
    if diagnostics:
        raise Failure(diagnostics)
    return lock


def _check_lock(lock: Lock, document: LocatedMap) -> Iterable[Diagnostic]:
    """Yield a diagnostic for each duplicate number or name, bad number and unknown type."""
    types = SCALARS | lock.messages.keys() | lock.enums.keys()
    for name, message in lock.messages.items():
        path = ("messages", name)
        entries = [(field.number, field.name, field.state) for field in message.fields]
        yield from _check_duplicates(document, (*path, "fields"), entries)
        if message.next <= max((field.number for field in message.fields), default=0):
            place = locate_path(document, (*path, "next"))
            yield Diagnostic("lock/cursor", f"`{name}`: the next number {message.next} is already used", place, HINT)
        for index, field in enumerate(message.fields):
            if FIRST_RESERVED <= field.number <= LAST_RESERVED:
                place = locate_path(document, (*path, "fields", index, "number"))
                text = f"`{name}.{field.name}`: protobuf reserves the numbers {FIRST_RESERVED} to {LAST_RESERVED}"
                yield Diagnostic("lock/number-of-protobuf", text, place, HINT)
            if field.type not in types:
                place = locate_path(document, (*path, "fields", index, "type"))
                text = f"`{name}.{field.name}`: unknown type `{field.type}`"
                yield Diagnostic("lock/unknown-type", text, place, HINT)
    for name, enum in lock.enums.items():
        values = [(value.number, value.name, value.state) for value in enum.values]
        yield from _check_duplicates(document, ("enums", name, "values"), values)
    yield from _check_messages(lock, document)


def _check_messages(lock: Lock, document: LocatedMap) -> Iterable[Diagnostic]:
    """Yield a diagnostic for each unknown message that an rpc uses or that contains a nested type."""
    live = {name for name, message in lock.messages.items() if message.state not in RETIRED}
    for kind, elements in (("messages", lock.messages), ("enums", lock.enums)):
        for name, entry in elements.items():
            outer = name.rpartition(".")[0]
            if outer and outer not in live and entry.state not in RETIRED:
                place = locate_path(document, (kind, name))
                yield Diagnostic("lock/unknown-type", f"`{name}`: unknown outer message `{outer}`", place, HINT)
    for index, rpc in enumerate(lock.rpcs):
        for name in (rpc.request, rpc.response):
            if name not in live and rpc.state not in RETIRED:
                place = locate_path(document, ("rpcs", index))
                message = f"`{rpc.service}/{rpc.name}`: unknown message `{name}`"
                yield Diagnostic("lock/unknown-type", message, place, HINT)


def _check_duplicates(
    document: LocatedMap, path: tuple[str, ...], entries: list[tuple[int, str, State]]
) -> Iterable[Diagnostic]:
    owner = path[1]
    numbers: dict[int, str] = {}
    names: dict[str, int] = {}
    for index, (number, name, state) in enumerate(entries):
        if state is State.REPLACED:
            continue
        if number in numbers:
            place = locate_path(document, (*path, index))
            message = f"`{owner}`: `{numbers[number]}` and `{name}` have the same number {number}"
            yield Diagnostic("lock/number-twice", message, place, "renumber the one that is not yet published")
        numbers[number] = name
        if state is State.RESERVED:
            continue
        if name in names:
            place = locate_path(document, (*path, index))
            hint = "rename the one that is not yet published"
            yield Diagnostic("lock/name-twice", f"`{owner}`: duplicate name `{name}`", place, hint)
        names[name] = number


def format_lock(lock: Lock) -> str:
    """Return the text of a lock, sorted by name, then number; one line for each field, value and rpc."""
    lines = [HEAD + f"version: {lock.version}", f"package: {lock.package}"]
    lines += [f"baseline: {_format_value(lock.baseline)}"] if lock.baseline else []
    lines += ["files:" if lock.files else "files: {}"]
    lines += [f"  {_format_value(name)}: {_format_entry(entry)}" for name, entry in sorted(lock.files.items())]
    lines += ["extensions:" if lock.extensions else "extensions: []"]
    lines += [f"- {_format_entry(item)}" for item in sorted(lock.extensions, key=lambda item: item.name)]
    lines += ["messages:" if lock.messages else "messages: {}"]
    for name in sorted(lock.messages):
        lines += _format_block(name, lock.messages[name], "fields")
    lines += ["enums:" if lock.enums else "enums: {}"]
    for name in sorted(lock.enums):
        lines += _format_block(name, lock.enums[name], "values")
    lines += ["rpcs:" if lock.rpcs else "rpcs: []"]
    lines += [
        f"- {_format_entry(rpc)}" for rpc in sorted(lock.rpcs, key=lambda rpc: (rpc.service, rpc.name, rpc.state))
    ]
    lines += ["accepted:"] if lock.accepted else []
    lines += [f"- {_format_entry(item)}" for item in lock.accepted]
    return "\n".join(lines) + "\n"


def _format_block(name: str, entry: LockedMessage | LockedEnum, items: str) -> list[str]:
    lines = [f"  {_format_value(name)}:"]
    lines += [f"    {key}: {_format_value(value)}" for key, value in _get_values(entry).items() if key != items]
    values = getattr(entry, items)
    lines += [f"    {items}:"] + [f"    - {_format_entry(item)}" for item in values] if values else []
    return lines


def _format_entry(entry: StrictModel) -> str:
    return _format_pairs(_get_values(entry))


def _format_pairs(values: dict[str, Any]) -> str:
    pairs = (
        f"{key}: {_format_pairs(dict(sorted(value.items()))) if isinstance(value, dict) else _format_value(value)}"
        for key, value in values.items()
    )
    return "{" + ", ".join(pairs) + "}"


def _format_value(value: Any) -> str:
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED_WORDS
        return value if is_plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _get_values(entry: StrictModel) -> dict[str, Any]:
    """Return the values of an entry that differ from their defaults, by key."""
    values = vars(entry)
    return {key: values[name] for name, key, default in _get_attributes(type(entry)) if values[name] != default}


@cache
def _get_attributes(model: type[StrictModel]) -> list[tuple[str, str, Any]]:
    """Return name, key and default value of each attribute of a model."""
    return [
        (name, info.alias or name, info.get_default(call_default_factory=True))
        for name, info in model.model_fields.items()
    ]
