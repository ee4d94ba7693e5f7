"""JSON texts: read with exact numbers and without a second value for a key; written short.

Source: RFC 8259 (JSON), sections 4 (names should be unique) and 6 (numbers).
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from postprocess.codec.errors import CodecError

# Digits of the largest integer that is read; Python's own limit against texts that take long to read.
_MAX_DIGITS = 4300


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise CodecError(f"the key `{name}` stands twice in one object")
            seen.add(name)
    return found


def _constant(name: str) -> NoReturn:
    raise CodecError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def parse(text: str | bytes) -> Any:
    """The value of a JSON text; integers are exact.

    Raises:
        CodecError: when it is no JSON, or an object has a key twice.
    """
    try:
        return _DECODER.decode(text if isinstance(text, str) else text.decode())
    except json.JSONDecodeError as error:
        raise CodecError(f"no JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise CodecError("nested too deeply") from None
    except UnicodeDecodeError:
        raise CodecError("no JSON: it is not UTF-8") from None
    except CodecError:
        raise
    except ValueError:
        raise CodecError(f"a number has more than {_MAX_DIGITS} digits") from None


def write(value: Any) -> str:
    """The JSON text of a value.

    Raises:
        CodecError: when the value holds a number that JSON does not have.
    """
    try:
        return _ENCODER.encode(value)
    except RecursionError:
        raise CodecError("nested too deeply") from None
    except (ValueError, TypeError):
        raise CodecError("a number is beyond what a double can hold") from None


def write_bytes(value: Any) -> bytes:
    """As above, in UTF-8; half a surrogate pair stays the escape that it was.

    Raises:
        CodecError: as above.
    """
    try:
        return write(value).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def parse_lines(text: str) -> list[Any]:
    """The values of NDJSON: one JSON text a line, empty lines left out.

    Raises:
        CodecError: with the number of the value that is no JSON.
    """
    values: list[Any] = []
    for line in text.split("\n"):
        if line.strip():
            try:
                values.append(parse(line))
            except CodecError as error:
                raise error.at(len(values)) from None
    return values


def write_lines(values: list[Any]) -> str:
    """NDJSON, each text ended by a line feed."""
    return "".join(f"{write(value)}\n" for value in values)
