"""Bounds and multiples of numbers, as rules of protovalidate.

Sources: buf/validate/validate.proto (rules of the numbers); JSON Schema validation 2020-12, section 6.2.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from preprocess.constraints.outcome import NO_VALUE, Cel, Said
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint, is_number

RULE = "validate-bounds"
RANGES = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint32": (0, 2**32 - 1),
    "uint64": (0, 2**64 - 1),
}
# More than there can be of anything; the Common Expression Language has no greater whole number.
MOST = RANGES["int64"][1]
# The largest finite numbers (IEEE 754, binary32 and binary64).
FLOATS = {"float": (2 - 2**-23) * 2.0**127, "double": sys.float_info.max}
ROUNDED = "a float32 is rounded, perhaps to the bound itself"
NO_MODULO = "protovalidate divides integers only"
LONG = "the bound has more digits than a double holds"
# The members of GeneralNumber.
_MEMBERS = ("int32", "int64", "uint64", "float", "double")
_EXACT = 2**53
_SIGNS = {
    Kind.MINIMUM: ">=",
    Kind.EXCLUSIVE_MINIMUM: ">",
    Kind.MAXIMUM: "<=",
    Kind.EXCLUSIVE_MAXIMUM: "<",
}
_NAMES = {
    Kind.MINIMUM: "gte",
    Kind.EXCLUSIVE_MINIMUM: "gt",
    Kind.MAXIMUM: "lte",
    Kind.EXCLUSIVE_MAXIMUM: "lt",
}
_WORDS = {
    Kind.MINIMUM: "at least",
    Kind.EXCLUSIVE_MINIMUM: "above",
    Kind.MAXIMUM: "at most",
    Kind.EXCLUSIVE_MAXIMUM: "below",
}
ByKind = dict[Kind, list[NormalizedConstraint]]


@dataclass(frozen=True, slots=True)
class _Bound:
    """A lower or upper bound that counts, and all the demands that it meets."""

    kind: Kind
    value: float
    demands: list[NormalizedConstraint]


def bounded(by_kind: ByKind, kind: str, said: Said) -> None:
    """Bounds of a number of some scalar type."""
    for bound in _bounds(by_kind, said):
        if kind in FLOATS:
            _real(bound, kind, said)
        else:
            _integer(bound, kind, said)


def _bounds(by_kind: ByKind, said: Said) -> Iterator[_Bound]:
    """The bounds, unless nothing is between them: protovalidate then takes what is outside."""
    found = []
    for kinds, sign in (
        ((Kind.MINIMUM, Kind.EXCLUSIVE_MINIMUM), 1),
        ((Kind.MAXIMUM, Kind.EXCLUSIVE_MAXIMUM), -1),
    ):
        listed = [demand for kind in kinds for demand in by_kind.get(kind, ())]
        if listed:
            first = max(listed, key=lambda demand: (sign * demand.value, demand.kind is kinds[1]))
            found.append(_Bound(first.kind, first.value, listed))
    if len(found) > 1 and is_empty(found[0].kind, found[0].value, found[1].kind, found[1].value):
        said.refuse([demand for bound in found for demand in bound.demands], NO_VALUE)
        return
    yield from found


def is_empty(low: Kind, least: float, high: Kind, greatest: float) -> bool:
    """Whether nothing is within two bounds."""
    return least > greatest or (least == greatest and (low is Kind.EXCLUSIVE_MINIMUM or high is Kind.EXCLUSIVE_MAXIMUM))


def _real(bound: _Bound, kind: str, said: Said) -> None:
    """A bound of a finite number; one beyond its range says nothing, or leaves no value."""
    if abs(bound.value) > FLOATS[kind]:
        if (bound.value < 0) is (bound.kind in {Kind.MINIMUM, Kind.EXCLUSIVE_MINIMUM}):
            said.meet(bound.demands)
        else:
            said.refuse(bound.demands, NO_VALUE)
    elif kind == "float" and bound.kind in {Kind.EXCLUSIVE_MINIMUM, Kind.EXCLUSIVE_MAXIMUM}:
        said.refuse(bound.demands, ROUNDED)
    else:
        said.carry(bound.demands, RULE, f"{kind}.{_NAMES[bound.kind]}", float(bound.value))


def _integer(bound: _Bound, kind: str, said: Said) -> None:
    """A bound of an integer is an integer; one beyond its range says nothing, or leaves no value."""
    lower = bound.kind in {Kind.MINIMUM, Kind.EXCLUSIVE_MINIMUM}
    value = math.ceil(bound.value) if lower else math.floor(bound.value)
    if value == bound.value:
        value += {Kind.EXCLUSIVE_MINIMUM: 1, Kind.EXCLUSIVE_MAXIMUM: -1}.get(bound.kind, 0)
    least, greatest = RANGES[kind]
    if (lower and value <= least) or (not lower and value >= greatest):
        said.meet(bound.demands)
    elif least <= value <= greatest:
        said.carry(bound.demands, RULE, f"{kind}.{'gte' if lower else 'lte'}", value)
    else:
        said.refuse(bound.demands, NO_VALUE)


def bounded_any(by_kind: ByKind, said: Said) -> None:
    """Bounds of a number of any kind, as a message; a bound that a double holds decides of integers as well."""
    for bound in _bounds(by_kind, said):
        if abs(bound.value) > _EXACT:
            said.refuse(bound.demands, LONG)
            continue
        sign, value = _SIGNS[bound.kind], repr(float(bound.value))
        parts = (f"(!has(this.{kind}_value) || double(this.{kind}_value) {sign} {value})" for kind in _MEMBERS)
        words = f"{_WORDS[bound.kind]} {bound.value}"
        name = words.replace(" ", "_").replace("+", "")
        said.calculate(bound.demands, RULE, Cel(name, f"must be {words}", " && ".join(parts)))


def multiples(by_kind: ByKind, kind: str, said: Said) -> None:
    """Multiples of an integer."""
    for demand in by_kind.get(Kind.MULTIPLE_OF, ()):
        value = demand.value
        if kind not in RANGES or value != int(value) or not 0 < value <= RANGES[kind][1]:
            said.refuse([demand], NO_MODULO)
            continue
        whole, mark = int(value), "u" if kind.startswith("u") else ""
        cel = Cel(f"multiple_of_{whole}", f"must be a multiple of {whole}", f"this % {whole}{mark} == 0{mark}")
        said.calculate([demand], RULE, cel)


def listed(by_kind: ByKind, kind: str, said: Said) -> None:
    """Numbers, or booleans, of which a value must be one."""
    for demand in by_kind.get(Kind.ENUM, ()):
        values = [value for value in demand.value if value is not None]
        fits = (isinstance(value, bool) if kind == "bool" else is_number(value) for value in values)
        if not values or not all(fits) or "const" in {path.rpartition(".")[2] for path in said.rules}:
            said.refuse([demand], "values of several types")
        elif kind == "bool":
            _booleans(demand, values, said)
        elif all(_within(value, kind) for value in values):
            told = [float(value) if kind in FLOATS else int(value) for value in values]
            const = len(told) == 1
            said.carry([demand], "validate-values", f"{kind}.{'const' if const else 'in'}", told[0] if const else told)
        else:
            said.refuse([demand], "values beyond the range of the type")


def _within(value: float, kind: str) -> bool:
    if kind in FLOATS:
        return abs(value) <= FLOATS[kind]
    return value == int(value) and RANGES[kind][0] <= value <= RANGES[kind][1]


def _booleans(demand: NormalizedConstraint, values: list[bool], said: Said) -> None:
    if len(set(values)) > 1:
        said.meet([demand])
    else:
        said.carry([demand], "validate-values", "bool.const", values[0])
