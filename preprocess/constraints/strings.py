"""Lengths, patterns and formats of texts, as rules of protovalidate; lengths are code points in both.

Sources: buf/validate/validate.proto (StringRules); JSON Schema validation 2020-12, sections 6.3 and 7.3.
"""

from __future__ import annotations

from preprocess.constraints.bounds import MOST, ByKind
from preprocess.constraints.outcome import NO_VALUE, Cel, Said
from preprocess.constraints.re2 import NotSame, as_re2
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint

RULE_LENGTHS = "validate-lengths"
RULE_PATTERN = "validate-pattern"
RULE_FORMAT = "validate-format"
# The formats for which protovalidate has a rule that takes all that the format does.
FORMATS = {
    "hostname": "hostname",
    "ipv4": "ipv4",
    "ipv6": "ipv6",
    "uri": "uri",
    "uri-reference": "uri_ref",
    "uuid": "uuid",
}
NARROWER = "the `email` of protovalidate is that of HTML, which lacks some addresses of RFC 5321"
NO_FORMAT = "protovalidate has no rule for this format"


def text(by_kind: ByKind, said: Said) -> None:
    """Everything that is demanded of a text."""
    lengths(
        by_kind,
        said,
        (Kind.MIN_LENGTH, Kind.MAX_LENGTH),
        RULE_LENGTHS,
        ("string.min_len", "string.max_len"),
    )
    _patterns(by_kind.get(Kind.PATTERN, []), said)
    _formats(by_kind.get(Kind.FORMAT, []), said)


def lengths(by_kind: ByKind, said: Said, kinds: tuple[Kind, Kind], rule: str, paths: tuple[str, str]) -> None:
    """The least and the greatest number of something; neither none nor more than there can be says anything."""
    lows, highs = (by_kind.get(kind, []) for kind in kinds)
    low = max((int(demand.value) for demand in lows), default=0)
    high = min((int(demand.value) for demand in highs), default=low)
    if high < low or low > MOST:
        said.refuse([*lows, *highs], NO_VALUE)
        return
    if low > 0:
        said.carry(lows, rule, paths[0], low)
    else:
        said.meet(lows)
    if high > MOST:
        said.meet(highs)
    elif highs:
        said.carry(highs, rule, paths[1], high)


def _patterns(listed: list[NormalizedConstraint], said: Said) -> None:
    """The first pattern is a rule of the text, further ones are expressions."""
    for demand in listed:
        try:
            pattern = as_re2(demand.value)
        except NotSame as error:
            said.refuse([demand], f"RE2 has no equal of {error}")
            continue
        if "string.pattern" in said.rules:
            number = sum(rule == RULE_PATTERN for rule in said.by.values()) + 1
            quoted = '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
            cel = Cel(f"pattern_{number}", f"must match {demand.value}", f"this.matches({quoted})")
            said.calculate([demand], RULE_PATTERN, cel)
        else:
            said.carry([demand], RULE_PATTERN, "string.pattern", pattern)


def _formats(listed: list[NormalizedConstraint], said: Said) -> None:
    """The format; a text is of one format at most in protovalidate."""
    for demand in listed:
        rule = FORMATS.get(demand.value)
        if rule is None:
            said.refuse([demand], NARROWER if demand.value == "email" else NO_FORMAT)
        elif RULE_FORMAT in said.by.values():
            said.refuse([demand], "a text is of one format in protovalidate")
        else:
            said.carry([demand], RULE_FORMAT, f"string.{rule}", value=True)


def enum(by_kind: ByKind, texts: list[str], said: Said) -> None:
    """Texts of an enum: lengths that they all have need no rule."""
    for kind, demands in by_kind.items():
        for demand in demands:
            if kind in {Kind.MIN_LENGTH, Kind.MAX_LENGTH} and all(
                _has_length(each, kind, demand.value) for each in texts
            ):
                said.meet([demand])
            else:
                said.refuse([demand], "an enum has texts of its own")


def _has_length(text: str, kind: Kind, value: int) -> bool:
    return len(text) >= value if kind is Kind.MIN_LENGTH else len(text) <= value
