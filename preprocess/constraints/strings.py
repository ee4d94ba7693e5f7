"""Translate the lengths, patterns and formats of strings into protovalidate rules; both count code points.

Sources: buf/validate/validate.proto (StringRules); JSON Schema validation 2020-12, sections 6.3 and 7.3.
"""

from __future__ import annotations

from pipeline.model.contract import Rule
from preprocess.constraints.bounds import MAX_SIZE
from preprocess.constraints.outcome import NO_VALUE, CelRule, RuleOutcome
from preprocess.constraints.re2 import PatternError, convert_pattern
from preprocess.trace.effective_constraints import ByKind
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint

RULE_LENGTHS = Rule("validate-lengths")
RULE_PATTERN = Rule("validate-pattern")
RULE_FORMAT = Rule("validate-format")
# The formats for which protovalidate has a rule that accepts every value of the format.
FORMATS = {name: name for name in ("hostname", "ipv4", "ipv6", "uri", "uuid")} | {"uri-reference": "uri_ref"}
NARROWER = "the `email` rule of protovalidate follows HTML, which refuses some addresses of RFC 5321"
NO_FORMAT = "protovalidate has no rule for this format"
SECOND_FORMAT = "protovalidate allows one format for a string"
OWN_STRINGS = "the enum defines its own strings"


def translate_string(by_kind: ByKind, outcome: RuleOutcome) -> None:
    """Translate all constraints of a string."""
    kinds, paths = (Kind.MIN_LENGTH, Kind.MAX_LENGTH), ("string.min_len", "string.max_len")
    translate_sizes(by_kind, kinds, RULE_LENGTHS, paths, outcome)
    _translate_patterns(by_kind.get(Kind.PATTERN, []), outcome)
    _translate_formats(by_kind.get(Kind.FORMAT, []), outcome)


def translate_sizes(
    by_kind: ByKind, kinds: tuple[Kind, Kind], conversion_rule: Rule, paths: tuple[str, str], outcome: RuleOutcome
) -> None:
    """Translate the least and greatest size of strings, lists or maps; `kinds` and `paths` are lower and upper."""
    lower, upper = (by_kind.get(kind, []) for kind in kinds)
    least = max((int(constraint.value) for constraint in lower), default=0)
    greatest = min((int(constraint.value) for constraint in upper), default=least)
    if greatest < least or least > MAX_SIZE:
        outcome.reject([*lower, *upper], NO_VALUE)
        return
    if least > 0:
        outcome.add_rule(lower, conversion_rule, paths[0], least)
    else:
        outcome.mark_implied(lower)
    if greatest > MAX_SIZE:
        outcome.mark_implied(upper)
    elif upper:
        outcome.add_rule(upper, conversion_rule, paths[1], greatest)


def _translate_patterns(constraints: list[NormalizedConstraint], outcome: RuleOutcome) -> None:
    for constraint in constraints:
        try:
            pattern = convert_pattern(constraint.value)
        except PatternError as error:
            outcome.reject([constraint], str(error))
            continue
        if "string.pattern" in outcome.rules:
            number = sum(rule == RULE_PATTERN for rule in outcome.conversion_rules.values()) + 1
            quoted = '"' + pattern.replace("\\", "\\\\").replace('"', '\\"') + '"'
            cel = CelRule(f"pattern_{number}", f"must match {constraint.value}", f"this.matches({quoted})")
            outcome.add_cel([constraint], RULE_PATTERN, cel)
        else:
            outcome.add_rule([constraint], RULE_PATTERN, "string.pattern", pattern)


def _translate_formats(constraints: list[NormalizedConstraint], outcome: RuleOutcome) -> None:
    """Translate the first format that protovalidate has a rule for."""
    for constraint in constraints:
        rule = FORMATS.get(constraint.value)
        if rule is None:
            outcome.reject([constraint], NARROWER if constraint.value == "email" else NO_FORMAT)
        elif RULE_FORMAT in outcome.conversion_rules.values():
            outcome.reject([constraint], SECOND_FORMAT)
        else:
            outcome.add_rule([constraint], RULE_FORMAT, f"string.{rule}", value=True)


def translate_enum(by_kind: ByKind, strings: list[str], outcome: RuleOutcome) -> None:
    """Translate the constraints of an enum: a length that all its strings have is implied, others are rejected."""
    lengths = [len(string) for string in strings]
    for kind, constraints in by_kind.items():
        for constraint in constraints:
            is_short = kind is Kind.MIN_LENGTH and any(length < constraint.value for length in lengths)
            is_long = kind is Kind.MAX_LENGTH and any(length > constraint.value for length in lengths)
            if kind not in {Kind.MIN_LENGTH, Kind.MAX_LENGTH} or is_short or is_long:
                outcome.reject([constraint], OWN_STRINGS)
            else:
                outcome.mark_implied([constraint])
