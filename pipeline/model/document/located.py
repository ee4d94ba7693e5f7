"""Read YAML and JSON documents into dictionaries and lists that know their source position.

The C parser of PyYAML composes nodes with marks. `read_document` converts them into `LocatedMap` and `LocatedList`,
which carry file, line, column and JSON pointer (RFC 6901). Scalars carry no position; `locate_path` takes it from
their container.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from pipeline.model.diagnostics import NOWHERE, Diagnostic, Failure, Place
from pipeline.model.document.yaml_nodes import MAX_DEPTH, compose_yaml, report_depth

MAX_NODES = 2_000_000

# The plain scalars of YAML 1.1 that mean the same in YAML 1.2 (core schema, section 10.3.2). All others are strings.
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
    """A mapping of a document with its start; `keys_at` is only set if the document was read with `exact`."""

    __slots__ = ("keys_at", "place")
    place: Place
    keys_at: dict[str, Place]


class LocatedList(list[Any]):
    """A sequence of a document with its start; `keys_at` has the items by index, as in `LocatedMap`."""

    __slots__ = ("keys_at", "place")
    place: Place
    keys_at: dict[int, Place]


def get_place(value: Any, default: Place | None = None) -> Place:
    """Return the position of a mapping or list; `default` or `NOWHERE` for any other value."""
    return getattr(value, "place", None) or default or NOWHERE


def locate_child(place: Place, key: str | int) -> Place:
    """Return the position of a child: the pointer of the child, the line and column of its parent."""
    return Place(place.file, place.line, place.column, f"{place.pointer}/{escape_token(str(key))}")


def locate_path(document: Any, path: Iterable[str | int]) -> Place:
    """Return the position of the value at a path.

    Line and column are those of the key if the document was read with `exact`, else those of the nearest container.
    """
    value, place, pointer = document, get_place(document), ""
    for step in path:
        pointer += f"/{escape_token(str(step))}"
        key_place = getattr(value, "keys_at", {}).get(step)
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            value = None
        place = key_place or get_place(value, place)
    return Place(place.file, place.line, place.column, pointer)


def escape_token(key: str) -> str:
    """Escape a key as a reference token of a JSON pointer (RFC 6901, section 3)."""
    return key.replace("~", "~0").replace("/", "~1")


def unescape_token(token: str) -> str:
    """Return the key that a reference token of a JSON pointer encodes (RFC 6901, section 4)."""
    return token.replace("~1", "/").replace("~0", "~")


def make_map(value: dict[str, Any], place: Place) -> LocatedMap:
    """Create a mapping that a pass derived from the document, with the position of its origin."""
    mapping = LocatedMap(value)
    mapping.place = place
    return mapping


def make_list(value: list[Any], place: Place) -> LocatedList:
    """Create a list that a pass derived from the document, with the position of its origin."""
    sequence = LocatedList(value)
    sequence.place = place
    return sequence


def read_document(
    text: str | bytes, file: str, *, exact: bool = False, deepest: int = MAX_DEPTH, most: int = MAX_NODES
) -> LocatedMap:
    """Parse one YAML or JSON document whose root is a mapping; bytes are read as UTF-8.

    Args:
        text: the document.
        file: the file name that diagnostics show.
        exact: whether to record the position of each key and item for `locate_path`; too slow for large documents.
        deepest: the maximum nesting depth.
        most: the maximum number of values.

    Raises:
        Failure: `document/…` if the text cannot be decoded or parsed, is too large, or has another root.
    """
    node = compose_yaml(text, file, deepest)
    if isinstance(node, MappingNode):
        return _Builder(file, exact, deepest, most).build_map(node, "", 0)
    kind = "nothing" if node is None else "a list" if isinstance(node, SequenceNode) else "plain text"
    message = f"expected a YAML or JSON mapping, found {kind}"
    hint = "check that the file is the document itself, not a web page or a part of it"
    raise Failure(Diagnostic("document/not-a-mapping", message, Place(file, 1, 1), hint))


class _Builder:
    """Converts composed nodes to located values, within limits of size and depth."""

    def __init__(self, file: str, exact: bool, deepest: int, most: int) -> None:
        self.file = file
        self.exact = exact
        self.deepest = deepest
        self.most = most
        self.count = 0

    def locate(self, node: Node, pointer: str) -> Place:
        mark = node.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1, pointer)

    def build_map(self, node: MappingNode, pointer: str, depth: int) -> LocatedMap:
        result = LocatedMap()
        result.place = self.locate(node, pointer)
        for key_node, value_node in node.value:
            key = self.read_key(key_node, pointer)
            if key in result:
                place = self.locate(key_node, f"{pointer}/{escape_token(key)}")
                raise Failure(Diagnostic("document/duplicate-key", f"duplicate key `{key}`", place, "remove one"))
            result[key] = self.build_value(value_node, pointer, key, depth)
        if self.exact:
            result.keys_at = {str(key.value): self.locate(key, pointer) for key, _ in node.value}
        return result

    def build_list(self, node: Node, pointer: str, depth: int) -> LocatedList:
        result = LocatedList()
        result.place = self.locate(node, pointer)
        for index, item in enumerate(node.value):
            result.append(self.build_value(item, pointer, str(index), depth))
        if self.exact:
            result.keys_at = {index: self.locate(item, pointer) for index, item in enumerate(node.value)}
        return result

    def read_key(self, node: Node, pointer: str) -> str:
        if isinstance(node, ScalarNode):
            return str(node.value)
        message, hint = "expected a string as key, found a list or mapping", "write the key as a plain string"
        raise Failure(Diagnostic("document/syntax", message, self.locate(node, pointer), hint))

    def read_scalar(self, node: ScalarNode, pointer: str) -> Any:
        value = _parse_scalar(node)
        if isinstance(value, float) and not math.isfinite(value):
            message, place = f"expected a JSON number, found `{node.value}`", self.locate(node, pointer)
            raise Failure(Diagnostic("document/syntax", message, place, "write a finite number"))
        return value

    def build_value(self, node: Node, pointer: str, key: str, depth: int) -> Any:
        self.count += 1
        if depth > self.deepest:
            raise Failure(report_depth(node.start_mark, self.file, self.deepest))
        if self.count > self.most:
            message = f"the document has more than {self.most} values"
            hint = "split the document; an anchor counts again at each use"
            raise Failure(Diagnostic("document/too-large", message, self.locate(node, pointer), hint))
        if isinstance(node, ScalarNode):
            return self.read_scalar(node, pointer)
        child = f"{pointer}/{escape_token(key)}"
        if isinstance(node, MappingNode):
            return self.build_map(node, child, depth + 1)
        return self.build_list(node, child, depth + 1)


def _parse_scalar(node: ScalarNode) -> Any:
    """Return the JSON value of a scalar by YAML 1.2: unlike in 1.1, `no`, `12:30` and dates are strings."""
    if node.tag in {"tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:binary"}:
        return node.value if node.style else _parse_exponent(node.value)
    if not _CORE.get(node.tag, _ANYTHING).fullmatch(node.value):
        return node.value
    try:
        return int(node.value) if _DECIMAL.fullmatch(node.value) else _SCALARS.construct_object(node)
    except (yaml.YAMLError, ValueError):
        return node.value
    finally:
        _SCALARS.constructed_objects.clear()


def _parse_exponent(text: str) -> Any:
    """Return the number of a string such as `1e3`, which YAML 1.1 reads as a string; other strings unchanged."""
    value = float(text) if _EXPONENT.fullmatch(text) else math.inf
    return value if math.isfinite(value) else text


def walk_maps(value: Any) -> Iterator[LocatedMap]:
    """Yield every mapping in a located value, parents before their children."""
    stack = [value]
    while stack:
        current = stack.pop()
        if isinstance(current, LocatedMap):
            yield current
            stack.extend(reversed(current.values()))
        elif isinstance(current, list):
            stack.extend(reversed(current))


def resolve_pointer(document: LocatedMap, pointer: str) -> Any:
    """Return the value at a JSON pointer of a document.

    Raises:
        KeyError: if there is no such value.
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
