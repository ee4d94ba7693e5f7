"""Compose YAML and JSON text into nodes with the C parser of PyYAML, within limits."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml import Node, ScalarNode

from pipeline.model.diagnostics import Diagnostic, Failure, Place

MAX_DEPTH = 300
UTF_8 = "save the file as UTF-8, without control characters"

_BOM = b"\xef\xbb\xbf"
# Characters that JSON allows in strings, but that YAML 1.1 rejects or reads as a line break:
# U+007F to U+009F, U+2028, U+2029, U+FEFF, U+FFFE and U+FFFF.
_ONLY_JSON = re.compile(rb"\x7f|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9]|\xef\xbb\xbf|\xef\xbf[\xbe\xbf]")
_SURROGATES = re.compile(rb"(?<!\\)((?:\\\\)*)(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})")


class _TooDeep(yaml.YAMLError):
    """A node below the maximum depth. Deeper nodes would overflow the stack of the C parser and end the process."""

    def __init__(self, node: Node) -> None:
        self.mark = node.start_mark
        super().__init__()


class _Loader(yaml.CSafeLoader):
    """Composes nodes down to a maximum depth."""

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
        """Return the implicit tag of a node; cached, because equal scalars have equal tags."""
        if kind is not ScalarNode:
            return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        tag = self.tags.get((value, implicit))
        if tag is None:
            tag = self.tags[value, implicit] = super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]
        return tag


def compose_yaml(text: str | bytes, file: str, deepest: int = MAX_DEPTH) -> Node | None:
    """Return the root node of one YAML or JSON document; None if it holds only white space and comments.

    Bytes are read as UTF-8. The maximum depth `deepest` is at most `MAX_DEPTH`.

    Raises:
        Failure: `document/unreadable`, `document/syntax`, `document/too-large`.
    """
    try:
        return _Loader(_escape_json(text), deepest).get_single_node()
    except _TooDeep as error:
        raise Failure(report_depth(error.mark, file, deepest)) from None
    except yaml.reader.ReaderError as error:
        raise Failure(_report_unreadable(error, text, file)) from None
    except yaml.YAMLError as error:
        raise Failure(_report_syntax(error, file)) from None
    except UnicodeDecodeError as error:
        message = f"cannot decode the text as UTF-8: {error.reason}"
        raise Failure(Diagnostic("document/unreadable", message, Place(file), UTF_8)) from None


def _escape_json(text: str | bytes) -> str | bytes:
    """Rewrite the parts of a JSON text that YAML reads differently; return YAML unchanged.

    Escaped surrogate pairs (RFC 8259, section 7) become one escape; characters that only JSON allows are escaped.
    """
    if isinstance(text, str):
        return text
    text = text.removeprefix(_BOM)
    if not text.lstrip().startswith(b"{"):
        return text
    plain = _ONLY_JSON.sub(lambda match: b"\\u%04x" % ord(match[0].decode()), text)
    return _SURROGATES.sub(lambda match: match[1] + b"\\U%08x" % ord(_decode_surrogates(match[2])), plain)


def _decode_surrogates(pair: bytes) -> str:
    return pair.decode("unicode_escape").encode("utf-16", "surrogatepass").decode("utf-16")


def _report_unreadable(error: yaml.reader.ReaderError, text: str | bytes, file: str) -> Diagnostic:
    before = text[: error.position]
    lines = (before if isinstance(before, bytes) else before.encode()).split(b"\n")
    place = Place(file, len(lines), len(lines[-1].decode(errors="replace")) + 1)
    return Diagnostic("document/unreadable", f"cannot decode the text: {error.reason}", place, UTF_8)


def report_depth(mark: yaml.Mark, file: str, deepest: int) -> Diagnostic:
    """Return the diagnostic for a value below the maximum depth."""
    place = Place(file, mark.line + 1, mark.column + 1)
    hint = "split the document; an anchor must not be used inside the value that it names"
    return Diagnostic("document/too-large", f"values are nested more than {deepest} deep", place, hint)


def _report_syntax(error: yaml.YAMLError, file: str) -> Diagnostic:
    mark = getattr(error, "problem_mark", None)
    place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file)
    problem = getattr(error, "problem", None) or str(error).splitlines()[0]
    if problem.startswith("but "):
        problem = f"{getattr(error, 'context', '')}, {problem}"
    return Diagnostic("document/syntax", f"invalid YAML or JSON: {problem}", place, "check that the file is complete")
