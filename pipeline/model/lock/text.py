"""The lock as text: one line a field, value and rpc; read with the place of whatever is wrong in it."""

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
from pipeline.model.lock.lines import read_lines
from pipeline.model.lock.model import FIRST_RESERVED, LAST_RESERVED, RETIRED, Lock, LockedEnum, LockedMessage, State

VERSION = 1
HINT = "restore the file from version control; it is written by builds only"
HEAD = """\
# The memory of every name and number ever given. Written by builds; nothing is ever deleted from it.
# A conflict here means that two branches gave out the same number: see "How compatibility is kept" in the README.
"""


def parse_lock(text: str | bytes, file: str) -> Lock:
    """Read a lock.

    Raises:
        Failure: `lock/…` when it is no lock, of another version, or gives one number to two fields.
    """
    lock = _as_written(text)
    return lock if lock is not None else _parsed(text, file)


def _as_written(text: str | bytes) -> Lock | None:
    """The lock, if its text is just what a build writes and nothing is wrong with it; only others need places."""
    try:
        plain = text.decode() if isinstance(text, bytes) else text
        lock = Lock.model_validate(read_lines(plain), strict=False)
    except (ValueError, RecursionError):
        return None
    sound = format_lock(lock) == plain and not any(_conflicts(lock, LocatedMap()))
    return lock if sound else None


def _parsed(text: str | bytes, file: str) -> Lock:
    """The lock that any YAML text stands for."""
    try:
        document = read_document(text, file, exact=True)
    except Failure as failure:
        raise Failure(
            Diagnostic("lock/unreadable", f"{found.message}", found.place, HINT) for found in failure.diagnostics
        ) from None
    if document.get("version") != VERSION:
        place = locate_path(document, ["version"])
        message = f"version {document.get('version')!r} of the lock format, expected {VERSION}"
        raise Failure(Diagnostic("lock/version", message, place, "use the spec2proto that wrote it, or a newer one"))
    lock = validate(Lock, document, "lock/invalid", HINT)
    diagnostics = list(_conflicts(lock, document))
    if diagnostics:
        raise Failure(diagnostics)
    return lock


def _conflicts(lock: Lock, document: LocatedMap) -> Iterable[Diagnostic]:
    known = SCALARS | lock.messages.keys() | lock.enums.keys()
    for name, message in lock.messages.items():
        path = ("messages", name)
        entries = [(field.number, field.name, field.state) for field in message.fields]
        yield from _twice(document, (*path, "fields"), entries)
        if message.next <= max((field.number for field in message.fields), default=0):
            place = locate_path(document, (*path, "next"))
            yield Diagnostic("lock/cursor", f"`{name}`: next number {message.next} was already given", place, HINT)
        for index, field in enumerate(message.fields):
            if FIRST_RESERVED <= field.number <= LAST_RESERVED:
                place = locate_path(document, (*path, "fields", index, "number"))
                text = f"`{name}.{field.name}`: protobuf keeps {FIRST_RESERVED} to {LAST_RESERVED} for itself"
                yield Diagnostic("lock/number-of-protobuf", text, place, HINT)
            if field.type not in known:
                place = locate_path(document, (*path, "fields", index, "type"))
                yield Diagnostic("lock/unknown-type", f"`{name}.{field.name}`: no type `{field.type}`", place, HINT)
    for name, enum in lock.enums.items():
        values = [(value.number, value.name, value.state) for value in enum.values]
        yield from _twice(document, ("enums", name, "values"), values)
    yield from _unknown(lock, document)


def _unknown(lock: Lock, document: LocatedMap) -> Iterable[Diagnostic]:
    """Messages that rpcs take and answer with, and those around nested ones, that are not there."""
    live = {name for name, message in lock.messages.items() if message.state not in RETIRED}
    for kind, elements in (("messages", lock.messages), ("enums", lock.enums)):
        for name, entry in elements.items():
            outer = name.rpartition(".")[0]
            if outer and outer not in live and entry.state not in RETIRED:
                place = locate_path(document, (kind, name))
                yield Diagnostic("lock/unknown-type", f"`{name}` is in no message `{outer}`", place, HINT)
    for index, rpc in enumerate(lock.rpcs):
        for name in (rpc.request, rpc.response):
            if name not in live and rpc.state not in RETIRED:
                place = locate_path(document, ("rpcs", index))
                message = f"`{rpc.service}/{rpc.name}`: no message `{name}`"
                yield Diagnostic("lock/unknown-type", message, place, HINT)


def _twice(document: LocatedMap, path: tuple[str, ...], entries: list[tuple[int, str, State]]) -> Iterable[Diagnostic]:
    owner = path[1]
    numbers: dict[int, str] = {}
    names: dict[str, int] = {}
    for index, (number, name, state) in enumerate(entries):
        if state is State.REPLACED:
            continue
        if number in numbers:
            place = locate_path(document, (*path, index))
            message = f"`{owner}` gives number {number} to `{numbers[number]}` and to `{name}`"
            yield Diagnostic("lock/number-twice", message, place, "renumber the one that is not yet published")
        numbers[number] = name
        if state is State.RESERVED:
            continue
        if name in names:
            place = locate_path(document, (*path, index))
            hint = "rename the one that is not yet published"
            yield Diagnostic("lock/name-twice", f"`{owner}` has `{name}` twice", place, hint)
        names[name] = number


_PLAIN = re.compile(r"^[A-Za-z_][A-Za-z0-9_./-]*$")
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value if _PLAIN.match(value) and value.lower() not in _WORDS else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


@cache
def _written(model: type[StrictModel]) -> list[tuple[str, str, Any]]:
    """The attributes of a model: their names, their keys, and the values that are not written."""
    return [
        (name, told.alias or name, told.get_default(call_default_factory=True))
        for name, told in model.model_fields.items()
    ]


def _told(entry: StrictModel) -> dict[str, Any]:
    """What is written of an entry, by key."""
    values = vars(entry)
    return {key: values[name] for name, key, default in _written(type(entry)) if values[name] != default}


def _flow(entry: StrictModel) -> str:
    return _flow_mapping(_told(entry))


def _flow_mapping(values: dict[str, Any]) -> str:
    texts = (
        f"{key}: {_flow_mapping(dict(sorted(value.items()))) if isinstance(value, dict) else _text(value)}"
        for key, value in values.items()
    )
    return "{" + ", ".join(texts) + "}"


def _block(name: str, entry: LockedMessage | LockedEnum, items: str) -> list[str]:
    lines = [f"  {_text(name)}:"]
    lines += [f"    {key}: {_text(value)}" for key, value in _told(entry).items() if key != items]
    listed = getattr(entry, items)
    lines += [f"    {items}:"] + [f"    - {_flow(item)}" for item in listed] if listed else []
    return lines


def format_lock(lock: Lock) -> str:
    """The lock as it is written: sorted by name, then number; one line a field, value and rpc."""
    lines = [HEAD + f"version: {lock.version}", f"package: {lock.package}"]
    lines += [f"baseline: {_text(lock.baseline)}"] if lock.baseline else []
    lines += ["files:" if lock.files else "files: {}"]
    lines += [f"  {_text(name)}: {_flow(entry)}" for name, entry in sorted(lock.files.items())]
    lines += ["extensions:" if lock.extensions else "extensions: []"]
    lines += [f"- {_flow(extension)}" for extension in sorted(lock.extensions, key=lambda item: item.name)]
    lines += ["messages:" if lock.messages else "messages: {}"]
    for name in sorted(lock.messages):
        lines += _block(name, lock.messages[name], "fields")
    lines += ["enums:" if lock.enums else "enums: {}"]
    for name in sorted(lock.enums):
        lines += _block(name, lock.enums[name], "values")
    lines += ["rpcs:" if lock.rpcs else "rpcs: []"]
    lines += [f"- {_flow(rpc)}" for rpc in sorted(lock.rpcs, key=lambda rpc: (rpc.service, rpc.name, rpc.state))]
    lines += ["accepted:"] if lock.accepted else []
    lines += [f"- {_flow(item)}" for item in lock.accepted]
    return "\n".join(lines) + "\n"
