"""JSON texts: read with exact numbers and without a second value for a key; written short.

A number is an `int`, a `float` where that gives it back, else a `Decimal`.
Source: RFC 8259 (JSON), sections 4 (names should be unique) and 6 (numbers).
"""

from __future__ import annotations

import json
import json.encoder
import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from spec2proto_codec.errors import CodecError, shown

# Digits of the largest integer that is read; Python's own limit against texts that take long to read.
MAX_DIGITS = 4300
# A number of up to fifteen digits, which stand in fewer characters than this, is given back by its double…
_SHORT = 17
# … unless it is near the smallest ones, which have fewer digits.
_NEAR_ZERO = 1e-290


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _TwiceError
    return found


class _TwiceError(Exception):
    """An object has a key twice."""


class _Pairs(list[tuple[str, Any]]):
    """An object as its pairs."""


def _twice(value: Any) -> CodecError | None:
    """The error about the first object that has a key twice, and where that stands."""
    if type(value) is _Pairs:
        names = [name for name, _ in value]
        for name, entry in value:
            if (error := _twice(entry)) is not None:
                return error.at(name)
        again = next((name for at, name in enumerate(names) if name in names[:at]), None)
        return None if again is None else CodecError(f"the key `{again}` stands twice in one object")
    found = ((at, _twice(entry)) for at, entry in enumerate(value)) if type(value) is list else ()
    return next((error.at(at) for at, error in found if error is not None), None)


def _constant(name: str) -> NoReturn:
    raise CodecError(f"{name} is no JSON")


def decimal(text: str) -> float | Decimal:
    """The number of a JSON text with a point or an exponent.

    Raises:
        CodecError: when its exponent has more than eighteen digits.
    """
    found = float(text)
    if len(text) < _SHORT and _NEAR_ZERO < abs(found) < math.inf:
        return found
    try:
        exact = Decimal(text)
    except InvalidOperation:
        raise CodecError("a number has too large an exponent") from None
    return found if exact == Decimal(repr(found)) else exact


class _NoFloatError(Exception):
    """A number that the encoder of the standard library does not write."""


def _other(value: Any) -> NoReturn:
    if isinstance(value, Decimal):
        raise _NoFloatError
    raise TypeError


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=decimal)


def _encoder() -> Callable[[Any], str]:
    """What writes a value: CPython's encoder in C, made once instead of for each value, or that of the library."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_other).encode
    pieces = make(None, _other, json.encoder.encode_basestring, None, ":", ",", False, False, False)
    return lambda value: "".join(pieces(value, 0))


_written = _encoder()


def parse(text: str | bytes) -> Any:
    """The value of a JSON text; numbers are exact.

    Raises:
        CodecError: when it is no JSON, or an object has a key twice.
    """
    try:
        return _parsed(text if isinstance(text, str) else text.decode())
    except json.JSONDecodeError as error:
        raise CodecError(f"no JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise CodecError("nested too deeply") from None
    except UnicodeDecodeError:
        raise CodecError("no JSON: it is not UTF-8") from None
    except CodecError:
        raise
    except _TwiceError:
        raise _located(text) from None
    except ValueError:
        raise CodecError(f"a number has more than {MAX_DIGITS} digits") from None


def _located(text: str | bytes) -> CodecError:
    """The error about a key that stands twice: read once more, for its place."""
    try:
        found = _twice(json.loads(text, object_pairs_hook=_Pairs))
    except (RecursionError, ValueError):
        found = None
    return found or CodecError("a key stands twice in one object")


def _parsed(text: str) -> Any:
    """As above; of a text without white space around it at once."""
    try:
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError:
        end = -1
    return value if end == len(text) else _DECODER.decode(text)


def write(value: Any) -> str:
    """The JSON text of a value, which UTF-8 can write; half a surrogate pair stays the escape that it was.

    Raises:
        CodecError: when the value holds a number that JSON does not have.
    """
    text = _spelled_or_written(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "".join(map(_escaped, text))
    return text


def _escaped(character: str) -> str:
    return f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character


def _spelled_or_written(value: Any) -> str:
    try:
        return _written(value)
    except _NoFloatError:
        pass
    except RecursionError:
        raise CodecError("nested too deeply") from None
    except (ValueError, TypeError):
        raise CodecError("a number is beyond what a double can hold") from None
    try:
        return _spelled(value)
    except RecursionError:
        raise CodecError("nested too deeply") from None


def _spelled(value: Any) -> str:
    """As above, of a value that holds a number which no double gives back."""
    if type(value) is dict:
        return "{" + ",".join(f"{write(name)}:{_spelled(entry)}" for name, entry in value.items()) + "}"
    if type(value) is list:
        return "[" + ",".join(map(_spelled, value)) + "]"
    return str(value) if isinstance(value, Decimal) else write(value)


def write_bytes(value: Any) -> bytes:
    """As above, in UTF-8.

    Raises:
        CodecError: as above.
    """
    return write(value).encode()


def parse_lines(text: str) -> tuple[list[Any], dict[int, bytes]]:
    """The values of NDJSON: one JSON text a line, empty lines left out.

    Returns:
        The values, and the texts of those that are objects or lists by the value's `id`, for as long as it lives.

    Raises:
        CodecError: with the number of the value that is no JSON.
    """
    values: list[Any] = []
    sources: dict[int, bytes] = {}
    for line in text.split("\n"):
        if line and not line.isspace():
            try:
                value = parse(line)
                if type(value) is dict or type(value) is list:
                    sources[id(value)] = line.strip().encode()
            except UnicodeEncodeError:
                pass
            except CodecError as error:
                raise error.at(len(values)) from None
            values.append(value)
    return values, sources


def write_lines(values: list[Any], sources: dict[int, bytes]) -> str:
    """NDJSON, each text ended by a line feed; values that have a text of one line by their `id` are written as that."""
    lines = [sources.get(id(value)) for value in values]
    return "".join(
        f"{write(value) if line is None else line.decode()}\n" for value, line in zip(values, lines, strict=True)
    )


def check_string(value: Any) -> str:
    """A text that UTF-8 can write.

    Raises:
        CodecError: when it is none, or has half a surrogate pair.
    """
    if type(value) is not str:
        raise CodecError(f"expected a text, found {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CodecError("the text holds half of a surrogate pair, which UTF-8 cannot write") from None
    return value
