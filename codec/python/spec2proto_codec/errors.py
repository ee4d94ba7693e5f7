"""The error of the codec: which JSON value or message it refuses, and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")
_MAX_SHOWN = 40
_NAMES = {dict: "an object", list: "a list", bool: "a boolean", type(None): "null"}


class CodecError(ValueError):
    """Raised for a JSON value that a contract cannot carry, and for bytes that represent no JSON.

    Attributes:
        reason: one sentence in lower case.
    """

    def __init__(self, reason: str, *steps: str | int) -> None:
        super().__init__(reason)
        self.reason = _escape_surrogates(reason)
        self._steps = list(steps)

    def add_step(self, step: str | int) -> CodecError:
        """Add the key or index under which the container holds the refused value; return the same error."""
        self._steps.append(step)
        return self

    @property
    def path(self) -> str:
        """JSON pointer (RFC 6901) to the refused value."""
        steps = (str(step).replace("~", "~0").replace("/", "~1") for step in reversed(self._steps))
        return _escape_surrogates("".join(f"/{step}" for step in steps))

    def __str__(self) -> str:
        return f"{self.path or '/'}: {self.reason}"


def _escape_surrogates(text: str) -> str:
    """Replace lone surrogates by escapes, so that UTF-8 can encode the string."""
    return text.encode(errors="backslashreplace").decode()


def call_nested(work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
    """Call a function that recurses into a value; raise `CodecError` if the value is nested too deeply."""
    try:
        return work(*args, **kwargs)
    except RecursionError:
        raise CodecError("nested too deeply") from None


def describe(value: object) -> str:
    """Describe a JSON value in an error message: a short string or number itself, otherwise its type."""
    name = _NAMES.get(type(value))
    if name is not None:
        return name
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 3]}…"
