"""Parse and write JSON strings: numbers keep their exact value, and an object may not repeat a key.

A parsed number is an `int`; else a `float` if the float has exactly this value; else a `Decimal`.
Source: RFC 8259 (JSON), sections 4 (names should be unique) and 6 (numbers).
"""

from __future__ import annotations

import json
import json.encoder
import math
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from spec2proto_codec.errors import CodecError, call_nested, describe

# Python refuses to parse longer integers, as that takes quadratic time.
MAX_DIGITS = 4300
# A double holds every number of up to fifteen digits; such a number has fewer characters than this…
_SHORT = 17
# … except close to the smallest doubles, which hold fewer digits.
_NEAR_ZERO = 1e-290


class _DuplicateKeyError(Exception):
    """An object has a key twice."""


class _ExactNumberError(Exception):
    """The value holds a `Decimal`, which the encoder of the standard library does not write."""


class _Pairs(list[tuple[str, Any]]):
    """An object as its pairs of key and value."""


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DuplicateKeyError
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise CodecError(f"{name} is no JSON")


def _refuse_other(value: Any) -> NoReturn:
    if isinstance(value, Decimal):
        raise _ExactNumberError
    raise TypeError


def parse_decimal(text: str) -> float | Decimal:
    """Return the number of a string with a point or an exponent; raise `CodecError` if the exponent is too large."""
    near = float(text)
    if len(text) < _SHORT and _NEAR_ZERO < abs(near) < math.inf:
        return near
    try:
        exact = Decimal(text)
    except InvalidOperation:
        raise CodecError("a number has too large an exponent") from None
    return near if exact == Decimal(repr(near)) else exact


_DECODER = json.JSONDecoder(object_pairs_hook=_build_object, parse_constant=_refuse_constant, parse_float=parse_decimal)


def _build_encoder() -> Callable[[Any], str]:
    """Return CPython's encoder in C, built once instead of for each value; elsewhere the encoder of the library."""
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return json.JSONEncoder(
            ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_refuse_other
        ).encode
    encode = make(None, _refuse_other, json.encoder.encode_basestring, None, ":", ",", False, False, False)
    return lambda value: "".join(encode(value, 0))


_encode = _build_encoder()


def parse(text: str | bytes) -> Any:
    """Return the value of a JSON string. Raise `CodecError` if it is no JSON, or an object repeats a key."""
    try:
        return _decode(text if isinstance(text, str) else text.decode())
    except json.JSONDecodeError as error:
        raise CodecError(f"no JSON: {error.msg} at line {error.lineno} column {error.colno}") from None
    except RecursionError:
        raise CodecError("nested too deeply") from None
    except UnicodeDecodeError:
        raise CodecError("no JSON: it is not UTF-8") from None
    except CodecError:
        raise
    except _DuplicateKeyError:
        raise _locate_duplicate_key(text) from None
    except ValueError:
        raise CodecError(f"a number has more than {MAX_DIGITS} digits") from None


def _decode(text: str) -> Any:
    """Decode a JSON string; `raw_decode` skips the search for white space, which few strings have around them."""
    try:
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError:
        end = -1
    return value if end == len(text) else _DECODER.decode(text)


def _locate_duplicate_key(text: str | bytes) -> CodecError:
    """Parse a string once more to find where an object repeats a key, and return the error."""
    try:
        error = _find_duplicate_key(json.loads(text, object_pairs_hook=_Pairs))
    except (RecursionError, ValueError):
        error = None
    return error or CodecError("a key stands twice in one object")


def _find_duplicate_key(value: Any) -> CodecError | None:
    if type(value) is _Pairs:
        names = [name for name, _ in value]
        for name, entry in value:
            if (error := _find_duplicate_key(entry)) is not None:
                return error.add_step(name)
        again = next((name for at, name in enumerate(names) if name in names[:at]), None)
        return None if again is None else CodecError(f"the key `{again}` stands twice in one object")
    errors = ((at, _find_duplicate_key(entry)) for at, entry in enumerate(value)) if type(value) is list else ()
    return next((error.add_step(at) for at, error in errors if error is not None), None)


def write(value: Any) -> str:
    """Return the JSON string of a value; raise `CodecError` for a number that JSON does not have.

    Half of a surrogate pair is written as an escape, so UTF-8 can encode it.
    """
    text = _write_number_safe(value)
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "".join(map(_escape_surrogate, text))
    return text


def _escape_surrogate(character: str) -> str:
    return f"\\u{ord(character):04x}" if "\ud800" <= character <= "\udfff" else character


def _write_number_safe(value: Any) -> str:
    try:
        return _encode(value)
    except _ExactNumberError:
        pass
    except RecursionError:
        raise CodecError("nested too deeply") from None
    except (ValueError, TypeError):
        raise CodecError("a number is beyond what a double can hold") from None
    return call_nested(_write_exact, value)


def _write_exact(value: Any) -> str:
    """Return the JSON string of a value that holds a `Decimal`."""
    if type(value) is dict:
        return "{" + ",".join(f"{write(name)}:{_write_exact(entry)}" for name, entry in value.items()) + "}"
    if type(value) is list:
        return "[" + ",".join(map(_write_exact, value)) + "]"
    return str(value) if isinstance(value, Decimal) else write(value)


def write_bytes(value: Any) -> bytes:
    """Return the JSON string of a value in UTF-8, as `write` does."""
    return write(value).encode()


def parse_lines(text: str) -> tuple[list[Any], dict[int, bytes]]:
    """Parse NDJSON, one JSON value a line; skip empty lines, and raise `CodecError` with the number of a broken value.

    Return the values, and the line of each object or list by the `id` of its value, valid as long as the value lives.
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
                raise error.add_step(len(values)) from None
            values.append(value)
    return values, sources


def write_lines(values: list[Any], sources: dict[int, bytes]) -> str:
    """Write NDJSON, each line ended by a line feed; a value whose `id` is in `sources` is written as that line."""
    lines = [sources.get(id(value)) for value in values]
    return "".join(
        f"{write(value) if line is None else line.decode()}\n" for value, line in zip(values, lines, strict=True)
    )


def check_string(value: Any) -> str:
    """Return a string that UTF-8 can encode; raise `CodecError` for another value, and for a lone surrogate."""
    if type(value) is not str:
        raise CodecError(f"expected a string, found {describe(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CodecError("the string holds half of a surrogate pair, which UTF-8 cannot encode") from None
    return value
