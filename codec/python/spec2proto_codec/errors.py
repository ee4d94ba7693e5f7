"""What the codec says of a value that it cannot carry: where it stands in the JSON, and why."""

from __future__ import annotations

import json


class CodecError(ValueError):
    """A value that a contract cannot carry, or bytes that stand for no JSON.

    Attributes:
        reason: one sentence in lower case.
    """

    def __init__(self, reason: str, *steps: str | int) -> None:
        """Hold the reason, and the steps from where it was found, the innermost first."""
        super().__init__(reason)
        self.reason = _printable(reason)
        self._steps = list(steps)

    def at(self, step: str | int) -> CodecError:
        """The same error, seen from one level further out."""
        self._steps.append(step)
        return self

    @property
    def path(self) -> str:
        """Where in the JSON (RFC 6901, JSON pointer)."""
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in reversed(self._steps))
        return _printable("".join(f"/{step}" for step in steps))

    def __str__(self) -> str:
        return f"{self.path or '/'}: {self.reason}"


def _printable(text: str) -> str:
    """A text that UTF-8 can write: half of a surrogate pair becomes its escape."""
    return text.encode(errors="backslashreplace").decode()


def shown(value: object) -> str:
    """A value in a sentence: its JSON type, and a short text or number itself."""
    names = {dict: "an object", list: "a list", bool: "a boolean", type(None): "null"}
    name = names.get(type(value))
    if name is None:
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
        name = text if len(text) <= 40 else f"{text[:37]}…"  # noqa: PLR2004 - what fits into a sentence
    return name
