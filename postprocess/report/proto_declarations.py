"""The text of each message, enum and rpc, cut out of proto files as a build writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_TOP = re.compile(r"(message|enum|service) (\w+) \{")
_RPC = re.compile(r"  rpc (\w+)\(")


def declarations(files: Mapping[str, bytes]) -> dict[str, str]:
    """The text of each top-level message and enum, and of each rpc as `Service/Rpc`, comments included.

    Args:
        files: the results of a build by path; what is no proto file is passed over.
    """
    found: dict[str, str] = {}
    for name, content in sorted(files.items()):
        if name.endswith(".proto"):
            found.update(_elements(content.decode("utf-8", "replace").splitlines()))
    return found


def _elements(lines: list[str]) -> Iterator[tuple[str, str]]:
    for start, line in enumerate(lines):
        opened = _TOP.match(line)
        if not opened:
            continue
        end = _end(lines, start, "}")
        if opened[1] == "service":
            yield from _rpcs(opened[2], lines, range(start + 1, end))
        else:
            yield opened[2], "\n".join(lines[_comments(lines, start) : end + 1])


def _rpcs(service: str, lines: list[str], inside: range) -> Iterator[tuple[str, str]]:
    for start in inside:
        opened = _RPC.match(lines[start])
        if opened:
            end = start if lines[start].endswith((";", "{}")) else _end(lines, start, "  }")
            text = lines[_comments(lines, start) : end + 1]
            yield f"{service}/{opened[1]}", "\n".join(line[2:] for line in text)


def _end(lines: list[str], start: int, closing: str) -> int:
    """The line that closes what a line opens: nothing inside it stands as far left."""
    if lines[start].endswith("}"):
        return start
    return next((index for index in range(start, len(lines)) if lines[index] == closing), len(lines) - 1)


def _comments(lines: list[str], start: int) -> int:
    """The first line of the comment right above a line."""
    while start and lines[start - 1].lstrip().startswith("//"):
        start -= 1
    return start
