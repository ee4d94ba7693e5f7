"""What the pipeline has to say: diagnostics as data, the failure that carries them, and the exit codes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import NamedTuple

LONGEST = 4_000


class ExitCode(IntEnum):
    """The exit codes of the command line; the README's table is tested against this enum."""

    DONE = 0
    REFUSED = 1
    BAD_INPUT = 2
    ENVIRONMENT = 3


class Severity(StrEnum):
    """How much a diagnostic weighs; an error or a danger ends the build."""

    NOTE = "note"
    WARNING = "warning"
    DANGER = "danger"
    ERROR = "error"


class Place(NamedTuple):
    """Where a diagnostic points to; places are ordered as a reader would meet them, those without a line first.

    Attributes:
        file: the document, as the user named it.
        line: counted from 1; 0 where it is not known.
        column: counted from 1; 0 where it is not known.
        pointer: a JSON pointer (RFC 6901) into a document, or `Message.field` for protos.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""

    def __str__(self) -> str:
        """`file:line:column pointer`, as far as each is known."""
        position = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        return " ".join(part for part in (position, self.pointer) if part)


NOWHERE = Place()


@dataclass(frozen=True, order=True, slots=True)
class Diagnostic:
    """One thing to tell: a stable code, one sentence, the place, and what to do.

    Attributes:
        code: `area/what`, stable from release to release.
        message: one sentence, lower-case start, no full stop.
        place: where it is; an empty place where there is none.
        hint: the remedy.
        severity: how much it weighs.
    """

    code: str
    message: str
    place: Place = NOWHERE
    hint: str = ""
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        """One line for a terminal or a log, whatever names in it hold: no control or format characters."""
        place = f"{self.place}: " if str(self.place) else ""
        hint = f" (remedy: {self.hint})" if self.hint else ""
        return _line(f"{place}{self.severity}[{self.code}]: {self.message}{hint}")


def _line(text: str) -> str:
    """A text on one line, with what cannot be seen written as an escape."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
    return text if text.isprintable() else "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


class Failure(Exception):  # noqa: N818 - it ends a build, in the words of its diagnostics
    """A build that cannot go on: bad input, a refusing check or a missing environment.

    Attributes:
        diagnostics: why, sorted and without repetitions; at least one.
        exit_code: what the process ends with.
    """

    def __init__(
        self, diagnostics: Iterable[Diagnostic] | Diagnostic, exit_code: ExitCode = ExitCode.BAD_INPUT
    ) -> None:
        listed = [diagnostics] if isinstance(diagnostics, Diagnostic) else list(diagnostics)
        self.diagnostics = sorted(set(listed))
        self.exit_code = exit_code
        super().__init__("; ".join(str(diagnostic) for diagnostic in self.diagnostics))
