"""YAML and JSON text becomes nodes, by the C parser of PyYAML and within limits; any other text is refused."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml import Node, ScalarNode

from pipeline.model.diagnostics import Diagnostic, Failure, Place

MAX_DEPTH = 300
UTF_8 = "save the file as UTF-8, without control characters"

_BOM = b"\xef\xbb\xbf"
# What YAML 1.1 refuses or takes for the end of a line, and JSON for text: U+007F to U+009F, U+2028, U+2029, U+FEFF, …
_ONLY_JSON = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
_PAIR = re.compile(rb"(?<!\\)((?:\\\\)*)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})")


class _TooDeep(yaml.YAMLError):
    """A node deeper than the limit, which the parser in C must never get to: it would end the process."""

    def __init__(self, node: Node) -> None:
        self.mark = node.start_mark
        super().__init__()


class _Loader(yaml.CSafeLoader):
    """Composes nodes, down to a limit."""

    depth = 0

    def __init__(self, stream: str | bytes, deepest: int) -> None:
        super().__init__(stream)
        self.deepest = deepest
        self.tags: dict[tuple[str, tuple[bool, bool]], str] = {}

    def descend_resolver(self, current_node: Node | None, current_index: Any) -> None:  # noqa: ARG002 - called by the C parser
        self.depth += 1
        if self.depth > self.deepest and current_node is not None:
            raise _TooDeep(current_node)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, kind: type[Node], value: Any, implicit: Any) -> Any:
        """The tag of a node without one; none depends on the path to the node, so it is the same for the same text."""
        if kind is not ScalarNode:
            return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        known = self.tags.get((value, implicit))
        if known is None:
            known = self.tags[value, implicit] = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        return known


def compose_yaml(text: str | bytes, file: str, deepest: int = MAX_DEPTH) -> Node | None:
    """The root node of one YAML or JSON document; None where there is nothing but white space and comments.

    Args:
        text: the document; bytes are read as UTF-8.
        file: the name that places show.
        deepest: how deep nodes may stand in each other; no more than `MAX_DEPTH`, for the sake of the parser's stack.

    Raises:
        Failure: `document/unreadable`, `document/syntax`, `document/too-large`.
    """
    try:
        return _Loader(_joined(text), deepest).get_single_node()
    except _TooDeep as error:
        raise Failure(report_depth(error.mark, file, deepest)) from None
    except yaml.reader.ReaderError as error:
        raise Failure(_unreadable(error, text, file)) from None
    except yaml.YAMLError as error:
        raise Failure(_syntax(error, file)) from None
    except UnicodeDecodeError as error:
        raise Failure(
            Diagnostic("document/unreadable", f"not UTF-8 text: {error.reason}", Place(file), UTF_8)
        ) from None


def _joined(text: str | bytes) -> str | bytes:
    """JSON as YAML reads it: a surrogate pair of escapes (RFC 8259, section 7) is one, odd characters are escaped."""
    if isinstance(text, str):
        return text
    text = text.removeprefix(_BOM)
    if not text.lstrip().startswith(b"{"):
        return text
    plain = _ONLY_JSON.sub(lambda found: b"\\u%04x" % ord(found[0].decode()), text)
    return _PAIR.sub(lambda found: found[1] + b"\\U%08x" % ord(_character(found[2])), plain)


def _character(pair: bytes) -> str:
    return pair.decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16")


def _unreadable(error: yaml.reader.ReaderError, text: str | bytes, file: str) -> Diagnostic:
    before = text[: error.position]
    lines = (before if isinstance(before, bytes) else before.encode()).split(b"\n")
    place = Place(file, len(lines), len(lines[-1].decode(errors="replace")) + 1)
    message = f"not readable as text: {error.reason}"
    return Diagnostic("document/unreadable", message, place, UTF_8)


def report_depth(mark: yaml.Mark, file: str, deepest: int) -> Diagnostic:
    """The diagnostic for something deeper than the limit."""
    place = Place(file, mark.line + 1, mark.column + 1)
    hint = "split the document; an anchor may not stand for something that contains it"
    return Diagnostic("document/too-large", f"nested more than {deepest} deep", place, hint)


def _syntax(error: yaml.YAMLError, file: str) -> Diagnostic:
    mark = getattr(error, "problem_mark", None)
    place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    if problem.startswith("but "):
        problem = f"{getattr(error, 'context', '')}, {problem}"
    return Diagnostic("document/syntax", f"not YAML or JSON: {problem}", place, "check that the file is whole")
