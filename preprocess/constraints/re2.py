"""Convert regular expressions of ECMA 262 (JSON Schema) to the syntax of RE2 (protovalidate).

The converted pattern matches exactly the same strings; a pattern without an equivalent is refused with the reason. Both
dialects search: a pattern without anchors matches anywhere. Where an escape means different characters in RE2, the
conversion writes a character class.
Sources: ECMA 262, section 22.2; RE2 syntax; JSON Schema core 2020-12, section 6.4 (subset for interoperability).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# RE2 refuses a pattern in which nested repetitions multiply to more.
_MAX_REPETITIONS = 1000
_MAX_DEPTH = 100
_SPACES = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACES}
_ANY = r"[^\n\r\x{2028}\x{2029}]"
_CONTROLS = {"t": r"\t", "n": r"\n", "r": r"\r", "f": r"\f", "v": r"\x0b", "0": r"\x00"}
_SYNTAX = frozenset(r"^$\.*+?()[]{}|/-")
_REPETITION = re.compile(r"(?:[*+?]|\{(?P<least>\d{1,9})(?:,(?P<most>\d{0,9}))?\})\??")
_GROUP = re.compile(r"\((?P<lookaround>\?<?[=!])?(?:\?:|\?<[A-Za-z_$][A-Za-z0-9_$]*>)?")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,5}|10[0-9A-Fa-f]{4})\}")
_CATEGORY = re.compile(r"[pP]\{[A-Z][a-z]?\}")
_SURROGATES = range(0xD800, 0xE000)


class PatternError(ValueError):
    """Raised when RE2 lacks a feature of the pattern, or has it with another meaning."""

    def __init__(self, feature: str) -> None:
        super().__init__(f"RE2 has no equivalent of {feature}")


def convert_pattern(pattern: str) -> str:
    """Return the RE2 pattern that matches the same strings as a pattern of ECMA 262.

    Raises:
        PatternError: RE2 lacks a feature of the pattern, or has it with another meaning.
    """
    parser = _Parser(pattern)
    converted = parser.parse_alternatives()
    if parser.offset < len(pattern):
        raise PatternError("an unmatched `)`")
    return converted


@dataclass(slots=True)
class _Parser:
    """Parses a pattern from left to right and returns each part in the syntax of RE2.

    Attributes:
        depth: the number of open groups.
        repetitions: the product of the nested repetitions in the current group.
    """

    pattern: str
    offset: int = 0
    depth: int = 0
    repetitions: int = 1

    def read_next(self) -> str:
        """Return the next character; empty at the end."""
        return self.pattern[self.offset : self.offset + 1]

    def parse_alternatives(self) -> str:
        """Parse terms and `|` up to the end of the group."""
        parts: list[str] = []
        while self.read_next() not in {"", ")"}:
            if self.read_next() == "|":
                self.offset += 1
                parts.append("|")
            else:
                parts.append(self.parse_term())
        return "".join(parts)

    def parse_term(self) -> str:
        """Parse one character, class, group or anchor with its repetition."""
        char, outer, self.repetitions = self.read_next(), self.repetitions, 1
        is_anchor = char in "^$" or self.pattern.startswith(("\\b", "\\B"), self.offset)
        if char == "(":
            atom = self.parse_group()
        elif char == "[":
            atom = self.parse_class()
        elif char in "*+?{}]":
            raise PatternError(f"a `{char}` that stands alone")
        else:
            self.offset += 1
            atom = char if char in "^$" else _ANY if char == "." else self.parse_escape() if char == "\\" else char
        repetition, most = self.parse_repetition()
        if repetition and is_anchor:
            raise PatternError("an anchor that is repeated")
        self.repetitions = max(outer, self.repetitions * most)
        if self.repetitions > _MAX_REPETITIONS:
            raise PatternError(f"more than {_MAX_REPETITIONS} repetitions")
        return atom + repetition

    def parse_repetition(self) -> tuple[str, int]:
        """Parse a repetition such as `{2,5}`; return it with its largest number, 1 if it has none."""
        match = _REPETITION.match(self.pattern, self.offset)
        if match is None and self.read_next() == "{":
            raise PatternError("a `{` that stands alone")
        if match is None:
            return "", 1
        self.offset = match.end()
        if self.read_next() in {"*", "+", "?", "{"}:
            raise PatternError("a repetition of a repetition")
        return match[0], max(int(match["least"] or 1), int(match["most"] or 1), 1)

    def parse_group(self) -> str:
        """Parse a group, which becomes a group without a name or number; RE2 has no lookaround."""
        match = _GROUP.match(self.pattern, self.offset)
        lookaround = match["lookaround"] if match else None
        if lookaround:
            raise PatternError("a lookbehind" if "<" in lookaround else "a lookahead")
        self.offset = match.end() if match else self.offset
        if self.read_next() == "?":
            raise PatternError("a group with modifiers")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise PatternError("groups that are nested too deeply")
        inner = self.parse_alternatives()
        if self.read_next() != ")":
            raise PatternError("an unmatched `(`")
        self.offset += 1
        self.depth -= 1
        return f"(?:{inner})"

    def parse_escape(self) -> str:
        """Parse the characters after a backslash outside a class."""
        char = self.read_next()
        if char in {"b", "B"}:
            self.offset += 1
            return f"\\{char}"
        if char and char.lower() in _CLASSES:
            self.offset += 1
            return f"[{'^' if char.isupper() else ''}{_CLASSES[char.lower()]}]"
        return self.parse_character()

    def parse_character(self) -> str:
        """Parse an escaped character or a Unicode category."""
        char = self.read_next()
        code_point, category = _HEX.match(self.pattern, self.offset), _CATEGORY.match(self.pattern, self.offset)
        if code_point is not None:
            self.offset = code_point.end()
            return _escape_code_point(int(code_point[1] or code_point[2] or code_point[3], 16))
        if category is not None:
            self.offset = category.end()
            return f"\\{category[0]}"
        self.offset += 1
        if char in _CONTROLS and not (char == "0" and self.read_next().isdigit()):
            return _CONTROLS[char]
        if char and char in _SYNTAX:
            return _escape(char)
        raise PatternError("a reference to a group" if char.isdigit() else f"`\\{char}`")

    def parse_class(self) -> str:
        self.offset += 1
        is_negated = self.read_next() == "^"
        self.offset += is_negated
        members: list[str] = []
        while self.read_next() not in {"", "]"}:
            member, is_character = self.parse_member()
            if self.read_next() == "-" and self.pattern[self.offset + 1 : self.offset + 2] not in {"", "]"}:
                self.offset += 1
                last, is_last_character = self.parse_member()
                if not (is_character and is_last_character):
                    raise PatternError("a range that begins or ends with a class")
                member += f"-{last}"
            members.append(member)
        if not members or not self.read_next():
            raise PatternError("a class without an end" if members else "a class without members")
        self.offset += 1
        return f"[{'^' if is_negated else ''}{''.join(members)}]"

    def parse_member(self) -> tuple[str, bool]:
        """Parse one member of a class; return it and whether it is a single character."""
        char = self.read_next()
        self.offset += 1
        if char != "\\":
            return _escape(char), True
        escaped = self.read_next()
        if escaped and escaped in _CLASSES:
            self.offset += 1
            return _CLASSES[escaped], False
        if escaped in {"D", "W", "S"}:
            raise PatternError(f"`\\{escaped}` in a class")
        if escaped == "b":
            self.offset += 1
            return r"\x08", True
        return self.parse_character(), escaped not in {"p", "P"}


def _escape(char: str) -> str:
    return f"\\{char}" if char in _SYNTAX and char != "/" else char


def _escape_code_point(code_point: int) -> str:
    if code_point in _SURROGATES:
        raise PatternError("half of a pair of surrogates")
    return f"\\x{{{code_point:x}}}"
