"""Patterns: regular expressions of ECMA 262, as JSON Schema has them, in the syntax of RE2, as protovalidate has them.

Only what matches the same texts is given; anything else is refused with the reason. Both search: a pattern without
anchors matches anywhere. What RE2 has under the same letters with another meaning is written out as a class.
Sources: ECMA 262, section 22.2; RE2 syntax; JSON Schema core 2020-12, section 6.4 (subset for interoperability).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# RE2 refuses what could stand more often, all in all.
_MOST = 1000
_DEEPEST = 100
_SPACES = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}"
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": _SPACES}
_ANY = r"[^\n\r\x{2028}\x{2029}]"
_CONTROLS = {"t": r"\t", "n": r"\n", "r": r"\r", "f": r"\f", "v": r"\x0b", "0": r"\x00"}
_SYNTAX = frozenset(r"^$\.*+?()[]{}|/-")
_COUNT = re.compile(r"(?:[*+?]|\{(?P<least>\d{1,9})(?:,(?P<most>\d{0,9}))?\})\??")
_GROUP = re.compile(r"\((?P<looks>\?<?[=!])?(?:\?:|\?<[A-Za-z_$][A-Za-z0-9_$]*>)?")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,5}|10[0-9A-Fa-f]{4})\}")
_CATEGORY = re.compile(r"[pP]\{[A-Z][a-z]?\}")


class NotSame(ValueError):  # noqa: N818 - it is the answer, not an error
    """RE2 has nothing of the same meaning; the text says for what."""


def as_re2(pattern: str) -> str:
    """The same pattern for RE2.

    Raises:
        NotSame: what RE2 lacks, or has with another meaning.
    """
    reader = _Reader(pattern)
    made = reader.alternatives()
    if reader.at < len(pattern):
        raise NotSame("an unmatched `)`")
    return made


@dataclass(slots=True)
class _Reader:
    """Reads a pattern from left to right.

    Attributes:
        text: the pattern.
        at: where it is read.
        depth: how many groups are open.
        times: how often, all in all, the innermost of the group that is being read may stand.
    """

    text: str
    at: int = 0
    depth: int = 0
    times: int = 1

    def next(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.at : self.at + 1]

    def alternatives(self) -> str:
        """What stands between `|`, up to the end of the group."""
        made: list[str] = []
        while self.next() not in {"", ")"}:
            if self.next() == "|":
                self.at += 1
                made.append("|")
            else:
                made.append(self.term())
        return "".join(made)

    def term(self) -> str:
        """One character, class, group or anchor, and how often."""
        char, before, self.times = self.next(), self.times, 1
        anchor = char in "^$" or self.text.startswith(("\\b", "\\B"), self.at)
        if char == "(":
            made = self.group()
        elif char == "[":
            made = self.set()
        elif char in "*+?{}]":
            raise NotSame(f"a `{char}` that stands alone")
        else:
            self.at += 1
            made = char if char in "^$" else _ANY if char == "." else self.escape() if char == "\\" else char
        count, most = self.count()
        if count and anchor:
            raise NotSame("an anchor that is repeated")
        self.times = max(before, self.times * most)
        if self.times > _MOST:
            raise NotSame(f"more than {_MOST} repetitions")
        return made + count

    def count(self) -> tuple[str, int]:
        """How often what stands before may stand, as text and, where it tells, as a number."""
        found = _COUNT.match(self.text, self.at)
        if found is None and self.next() == "{":
            raise NotSame("a `{` that stands alone")
        if found is None:
            return "", 1
        self.at = found.end()
        if self.next() in {"*", "+", "?", "{"}:
            raise NotSame("a repetition of a repetition")
        return found[0], max(int(found["least"] or 1), int(found["most"] or 1), 1)

    def group(self) -> str:
        """A group; those that look around are what RE2 lacks."""
        found = _GROUP.match(self.text, self.at)
        assert found is not None  # noqa: S101 - it begins with `(`
        if found["looks"]:
            raise NotSame("a lookahead" if "<" not in found["looks"] else "a lookbehind")
        if self.text.startswith("?", found.end()):
            raise NotSame("a group with modifiers")
        self.at = found.end()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotSame("groups that are nested too deeply")
        inside = self.alternatives()
        if self.next() != ")":
            raise NotSame("an unmatched `(`")
        self.at += 1
        self.depth -= 1
        return f"(?:{inside})"

    def escape(self) -> str:
        """What follows a backslash outside a class."""
        char = self.next()
        if char in {"b", "B"}:
            self.at += 1
            return f"\\{char}"
        if char and char.lower() in _CLASSES:
            self.at += 1
            return f"[{'^' if char.isupper() else ''}{_CLASSES[char.lower()]}]"
        return self.character()

    def character(self) -> str:
        """One character after a backslash, or a category of characters."""
        char = self.next()
        coded, category = _HEX.match(self.text, self.at), _CATEGORY.match(self.text, self.at)
        if coded is not None:
            self.at = coded.end()
            return _coded(int(coded[1] or coded[2] or coded[3], 16))
        if category is not None:
            self.at = category.end()
            return f"\\{category[0]}"
        self.at += 1
        if char in _CONTROLS and not (char == "0" and self.next().isdigit()):
            return _CONTROLS[char]
        if char and char in _SYNTAX:
            return _quoted(char)
        raise NotSame("a reference to a group" if char.isdigit() else f"`\\{char}`")

    def set(self) -> str:
        """A class of characters."""
        self.at += 1
        negated = self.next() == "^"
        self.at += negated
        made: list[str] = []
        while self.next() not in {"", "]"}:
            first, alone = self.member()
            if self.next() == "-" and self.text[self.at + 1 : self.at + 2] not in {"", "]"}:
                self.at += 1
                last, also = self.member()
                if not (alone and also):
                    raise NotSame("a range that begins or ends with a class")
                first += f"-{last}"
            made.append(first)
        if not made or not self.next():
            raise NotSame("a class without an end" if made else "a class without members")
        self.at += 1
        return f"[{'^' if negated else ''}{''.join(made)}]"

    def member(self) -> tuple[str, bool]:
        """One member of a class, and whether it is a single character."""
        char = self.next()
        self.at += 1
        if char != "\\":
            return _quoted(char), True
        after = self.next()
        if after and after in _CLASSES:
            self.at += 1
            return _CLASSES[after], False
        if after in {"D", "W", "S"}:
            raise NotSame(f"`\\{after}` in a class")
        if after == "b":
            self.at += 1
            return r"\x08", True
        return self.character(), after not in {"p", "P"}


def _quoted(char: str) -> str:
    """A character that stands for itself in RE2, in and outside a class."""
    return f"\\{char}" if char in _SYNTAX and char != "/" else char


def _coded(number: int) -> str:
    if 0xD800 <= number < 0xE000:  # noqa: PLR2004 - the surrogates
        raise NotSame("half of a pair of surrogates")
    return f"\\x{{{number:x}}}"
