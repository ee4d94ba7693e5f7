"""Split the proto files of a build into the text of each message, enum and rpc."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_TOP = re.compile(r"(message|enum|service) (\w+) \{")
_RPC = re.compile(r"  rpc (\w+)\(")


def split_declarations(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the text of each top-level message and enum, and of each rpc as `Service/Rpc`, with comments."""
    declarations: dict[str, str] = {}
    for name, content in sorted(files.items()):
        if name.endswith(".proto"):
            declarations.update(_iterate_elements(content.decode("utf-8", "replace").splitlines()))
    return declarations


def _iterate_elements(lines: list[str]) -> Iterator[tuple[str, str]]:
    for start, line in enumerate(lines):
        opened = _TOP.match(line)
        if not opened:
            continue
        end = _find_closing_line(lines, start, "}")
        if opened[1] == "service":
            yield from _iterate_rpcs(opened[2], lines, range(start + 1, end))
        else:
            yield opened[2], "\n".join(lines[_find_first_comment(lines, start) : end + 1])


def _iterate_rpcs(service: str, lines: list[str], inside: range) -> Iterator[tuple[str, str]]:
    for start in inside:
        opened = _RPC.match(lines[start])
        if opened:
            end = start if lines[start].endswith((";", "{}")) else _find_closing_line(lines, start, "  }")
            text = lines[_find_first_comment(lines, start) : end + 1]
            yield f"{service}/{opened[1]}", "\n".join(line[2:] for line in text)


def _find_closing_line(lines: list[str], start: int, closing: str) -> int:
    """Return the index of the line that closes a block; lines inside are indented further."""
    if lines[start].endswith("}"):
        return start
    return next((index for index in range(start, len(lines)) if lines[index] == closing), len(lines) - 1)


def _find_first_comment(lines: list[str], start: int) -> int:
    while start and lines[start - 1].lstrip().startswith("//"):
        start -= 1
    return start
