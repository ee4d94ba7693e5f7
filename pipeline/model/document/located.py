"""YAML and JSON documents whose every mapping and sequence knows where it stands.

PyYAML's C parser composes nodes with marks; `read_document` turns them into plain `dict` and `list`
subclasses that carry a JSON pointer (RFC 6901), line and column. Scalars are found through their container.
"""

from __future__ import annotations

import gc
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from pipeline.model.diagnostics import NOWHERE, Diagnostic, Failure, Place
from pipeline.model.document.yaml_nodes import MAX_DEPTH, compose_yaml, report_depth

MAX_NODES = 2_000_000

# What a plain scalar of YAML 1.1 must look like to be the same in YAML 1.2 (core schema, section 10.3.2).
_CORE = {
    "tag:yaml.org,2002:bool": re.compile(r"true|True|TRUE|false|False|FALSE"),
    "tag:yaml.org,2002:int": re.compile(r"[-+]?[0-9]+|0x[0-9a-fA-F]+"),
    "tag:yaml.org,2002:float": re.compile(r"[^_:]*"),
}
_ANYTHING = re.compile(r".*", re.DOTALL)
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_EXPONENT = re.compile(r"[-+]?[0-9]+[eE][-+]?[0-9]+")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")
_SCALARS = yaml.SafeLoader("")


class LocatedMap(dict[str, Any]):
    """A mapping of a document, with the place where it begins, and those of its keys if it was read `exact`."""

    __slots__ = ("keys_at", "place")
    place: Place
    keys_at: dict[str, Place]


class LocatedList(list[Any]):
    """A sequence of a document, with the place where it begins, and those of its items if it was read `exact`."""

    __slots__ = ("keys_at", "place")
    place: Place
    keys_at: dict[int, Place]


def get_place(value: Any, default: Place | None = None) -> Place:
    """The place of a mapping or sequence of a document, else `default` or nowhere."""
    return getattr(value, "place", None) or default or NOWHERE


def locate_child(place: Place, key: str | int) -> Place:
    """The place of what stands under a key, as far as the place of what is around it tells."""
    return Place(place.file, place.line, place.column, f"{place.pointer}/{escape_token(str(key))}")


def locate_path(document: Any, path: Iterable[str | int]) -> Place:
    """The place of what stands at a path: of its key where the document was read `exact`, else of what is around it."""
    value, found, pointer = document, get_place(document), ""
    for part in path:
        pointer += f"/{escape_token(str(part))}"
        key_place = getattr(value, "keys_at", {}).get(part)
        try:
            value = value[part]
        except (KeyError, IndexError, TypeError):
            value = None
        found = key_place or get_place(value, found)
    return Place(found.file, found.line, found.column, pointer)


def escape_token(part: str) -> str:
    """One reference token of a JSON pointer (RFC 6901, section 3)."""
    return part.replace("~", "~0").replace("/", "~1")


def unescape_token(part: str) -> str:
    """The key that a reference token stands for (RFC 6901, section 4)."""
    return part.replace("~1", "/").replace("~0", "~")


def make_map(value: dict[str, Any], place: Place) -> LocatedMap:
    """A mapping made on the way, standing at the place of what it was made from."""
    mapping = LocatedMap(value)
    mapping.place = place
    return mapping


def make_list(value: list[Any], place: Place) -> LocatedList:
    """A sequence made on the way, standing at the place of what it was made from."""
    sequence = LocatedList(value)
    sequence.place = place
    return sequence


def read_document(
    text: str | bytes, file: str, *, exact: bool = False, deepest: int = MAX_DEPTH, most: int = MAX_NODES
) -> LocatedMap:
    """Parse one YAML or JSON document whose root is a mapping.

    Args:
        text: the document; bytes are read as UTF-8.
        file: the name that places and diagnostics show.
        exact: whether to keep the place of each key and item, for `place_at`; large documents do without.
        deepest: how deep values may stand in each other.
        most: how many values there may be.

    Returns:
        The root mapping, everything below it located.

    Raises:
        Failure: `document/…` when it is no text, no YAML, too large, or not a mapping.
    """
    with gc_disabled():
        return _read(text, _Builder(file, exact, deepest, most))


@contextmanager
def gc_disabled(*, freeze: bool = False) -> Iterator[None]:
    """No garbage collection while objects are made by the hundred thousand: none is garbage, yet all are visited.

    It also serves as a decorator.

    Args:
        freeze: whether the process ends soon after, so that no later collection needs to visit them either; a process
            that goes on calls `gc.unfreeze`.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if freeze:
            gc.freeze()
        if was_enabled:
            gc.enable()


def _read(text: str | bytes, builder: _Builder) -> LocatedMap:
    node = compose_yaml(text, builder.file, builder.deepest)
    if not isinstance(node, MappingNode):
        found = "nothing" if node is None else "a list" if isinstance(node, SequenceNode) else "plain text"
        raise Failure(
            Diagnostic(
                "document/not-a-mapping",
                f"expected a YAML or JSON mapping, found {found}",
                Place(builder.file, 1, 1),
                "check that the file is the document itself, not a web page or a part of it",
            )
        )
    return builder.mapping(node, "", 0)


class _Builder:
    """Turns composed nodes into located values, within limits."""

    def __init__(self, file: str, exact: bool, deepest: int, most: int) -> None:
        self.file = file
        self.exact = exact
        self.deepest = deepest
        self.most = most
        self.count = 0

    def place(self, node: Node, pointer: str) -> Place:
        mark = node.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1, pointer)

    def mapping(self, node: MappingNode, pointer: str, depth: int) -> LocatedMap:
        result = LocatedMap()
        result.place = self.place(node, pointer)
        for key_node, value_node in node.value:
            key = self.key(key_node, pointer)
            if key in result:
                place = self.place(key_node, f"{pointer}/{escape_token(key)}")
                raise Failure(
                    Diagnostic("document/duplicate-key", f"`{key}` stands twice", place, "remove one of them")
                )
            result[key] = self.value(value_node, pointer, key, depth)
        if self.exact:
            result.keys_at = {str(key.value): self.place(key, pointer) for key, _ in node.value}
        return result

    def sequence(self, node: SequenceNode, pointer: str, depth: int) -> LocatedList:
        result = LocatedList()
        result.place = self.place(node, pointer)
        for index, item in enumerate(node.value):
            result.append(self.value(item, pointer, str(index), depth))
        if self.exact:
            result.keys_at = {index: self.place(item, pointer) for index, item in enumerate(node.value)}
        return result

    def key(self, node: Node, pointer: str) -> str:
        if isinstance(node, ScalarNode):
            return str(node.value)
        message, hint = "a key is not a plain value", "write the key as text"
        raise Failure(Diagnostic("document/syntax", message, self.place(node, pointer), hint))

    def scalar(self, node: ScalarNode, pointer: str) -> Any:
        value = _scalar(node)
        if isinstance(value, float) and not math.isfinite(value):
            message, place = f"`{node.value}` is no JSON number", self.place(node, pointer)
            raise Failure(Diagnostic("document/syntax", message, place, "write a finite number"))
        return value

    def value(self, node: Node, pointer: str, key: str, depth: int) -> Any:
        self.count += 1
        if depth > self.deepest:
            raise Failure(report_depth(node.start_mark, self.file, self.deepest))
        if self.count > self.most:
            hint = "split the document; anchors that stand for others many times over count each time"
            message = f"more than {self.most} values"
            raise Failure(Diagnostic("document/too-large", message, self.place(node, pointer), hint))
        if isinstance(node, ScalarNode):
            return self.scalar(node, pointer)
        child = f"{pointer}/{escape_token(key)}"
        if isinstance(node, MappingNode):
            return self.mapping(node, child, depth + 1)
        assert isinstance(node, SequenceNode), node  # noqa: S101 - YAML has no fourth kind of node
        return self.sequence(node, child, depth + 1)


def _scalar(node: ScalarNode) -> Any:
    """The JSON value of a scalar, by the core schema of YAML 1.2: `no` and `12:30` are texts, and `1e3` is a number.

    Dates stay text, as JSON has none.
    """
    if node.tag in {"tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:binary"}:
        return node.value if node.style else _exponent(node.value)
    if not _CORE.get(node.tag, _ANYTHING).fullmatch(node.value):
        return node.value
    try:
        return int(node.value) if _DECIMAL.fullmatch(node.value) else _SCALARS.construct_object(node)
    except (yaml.YAMLError, ValueError):
        return node.value
    finally:
        _SCALARS.constructed_objects.clear()


def _exponent(text: str) -> Any:
    """A number with an exponent but without a point, which the parser of YAML 1.1 takes for text."""
    value = float(text) if _EXPONENT.fullmatch(text) else math.inf
    return value if math.isfinite(value) else text


def walk_maps(value: Any) -> Iterator[LocatedMap]:
    """Every mapping in a located value, the outer ones first."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, LocatedMap):
            yield current
            stack.extend(reversed(current.values()))
        elif isinstance(current, list):
            stack.extend(reversed(current))


def resolve_pointer(document: LocatedMap, pointer: str) -> Any:
    """The value at a JSON pointer of a document.

    Raises:
        KeyError: when there is none.
    """
    value: Any = document
    for token in pointer.split("/")[1:]:
        key = unescape_token(token)
        if isinstance(value, list):
            if not _INDEX.fullmatch(key) or int(key) >= len(value):
                raise KeyError(pointer)
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            raise KeyError(pointer)
    return value
