"""Diagnostics as data, the exception that carries them, and the exit codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import IntEnum, StrEnum
from typing import NamedTuple

LONGEST = 4_000


class ExitCode(IntEnum):
    """The exit codes of the command line; the table in docs/commands.md is tested against this enum."""

    DONE = 0
    REFUSED = 1
    BAD_INPUT = 2
    ENVIRONMENT = 3


class Severity(StrEnum):
    """The severity of a diagnostic; an error or a danger ends the build."""

    NOTE = "note"
    WARNING = "warning"
    DANGER = "danger"
    ERROR = "error"


class Place(NamedTuple):
    """The position that a diagnostic refers to. Places sort by file, line and column; an unknown line sorts first.

    Attributes:
        file: the document, as the user named it.
        line: counted from 1; 0 if unknown.
        column: counted from 1; 0 if unknown.
        pointer: a JSON pointer (RFC 6901) into a document, or `Message.field` for protos.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""

    def __str__(self) -> str:
        """Return `file:line:column pointer` without the unknown parts."""
        position = ":".join(str(value) for value in (self.file, self.line, self.column) if value)
        return " ".join(filter(None, (position, self.pointer)))


NOWHERE = Place()


@dataclass(frozen=True, order=True, slots=True)
class Diagnostic:
    """One problem or note: a stable code, a message, its position and a remedy.

    Attributes:
        code: `area/what`, stable from release to release.
        message: one sentence, lower-case start, no full stop.
        hint: the remedy.
    """

    code: str
    message: str
    place: Place = NOWHERE
    hint: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """Return one line for a terminal or log, with control and format characters escaped."""
        place = f"{self.place}: " if str(self.place) else ""
        hint = f" (remedy: {self.hint})" if self.hint else ""
        return _format_line(f"{place}{self.severity}[{self.code}]: {self.message}{hint}")


def _format_line(text: str) -> str:
    """Return a string as one line: shortened to `LONGEST`, with unprintable characters escaped."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
    return text if text.isprintable() else "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class Failure(Exception):  # noqa: N818 - the exception ends a build and carries diagnostics, it is no error class
    """Ends a build: bad input, a failed check or a missing tool; has at least one diagnostic, sorted and unique."""

    def __init__(
        self, diagnostics: Iterable[Diagnostic] | Diagnostic, exit_code: ExitCode = ExitCode.BAD_INPUT
    ) -> None:
        unique = {diagnostics} if isinstance(diagnostics, Diagnostic) else set(diagnostics)
        self.diagnostics = sorted(unique)
        self.exit_code = exit_code
        super().__init__("; ".join(str(diagnostic) for diagnostic in self.diagnostics))


def suggest_names(name: str, names: Iterable[str], default: str) -> str:
    """Return a hint with the names closest to a misspelled one; `default` if none is close."""
    near = get_close_matches(name, list(names), n=3)
    return f"did you mean {' or '.join(f'`{text}`' for text in near)}?" if near else default
