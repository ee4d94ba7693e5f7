"""Translate the sizes of lists and maps, and the constraints of map keys, into protovalidate rules.

Protobuf does not distinguish an empty list or map from an absent one. A lower bound therefore ignores an empty
container unless the specification requires it.
Sources: buf/validate/validate.proto (RepeatedRules, MapRules); JSON Schema validation 2020-12, sections 6.4 and 6.5.
"""

from __future__ import annotations

from collections.abc import Callable

from pipeline.model.contract import Enum, Rule
from pipeline.model.json_encoding import StringFormat
from preprocess.constraints.bounds import RANGES
from preprocess.constraints.outcome import RuleOutcome
from preprocess.constraints.re2 import PatternError, convert_pattern
from preprocess.constraints.strings import translate_sizes, translate_string
from preprocess.trace.carriers import Carrier
from preprocess.trace.effective_constraints import ByKind, Constraints, group_by_kind
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint

RULE_ITEMS = Rule("validate-items")
RULE_KEYS = Rule("validate-keys")
SINGLE_ITEM = "an item may stand without its list"
NOT_UNIQUE = "protovalidate does not compare messages, and JSON values that differ may be equal in protobuf"
OTHER_KEYWORDS = "the schema of the keys constrains more than strings"
ONE_PATTERN = "protovalidate allows one set of rules for the keys of a map"
_ANNOTATIONS = {"type", "title", "description"}
_KEY_KINDS = (Kind.PATTERN, Kind.MIN_LENGTH, Kind.MAX_LENGTH, Kind.FORMAT)


def translate_list(by_kind: ByKind, carrier: Carrier, enum: Enum | None, outcome: RuleOutcome) -> None:
    """Translate the number of items of a list and their uniqueness; `enum` is the enum of the items, if any."""
    lower = by_kind.get(Kind.MIN_ITEMS, [])
    if carrier.encoding.is_single and any(constraint.value > 1 for constraint in lower):
        outcome.reject(lower, SINGLE_ITEM)
        lower = []
    sizes = {Kind.MIN_ITEMS: lower, Kind.MAX_ITEMS: by_kind.get(Kind.MAX_ITEMS, [])}
    kinds, paths = (Kind.MIN_ITEMS, Kind.MAX_ITEMS), ("repeated.min_items", "repeated.max_items")
    translate_sizes(sizes, kinds, RULE_ITEMS, paths, outcome)
    has_one_spelling = carrier.type in {*RANGES, "string", "bool"} and not (
        carrier.encoding.is_quoted or carrier.encoding.string_format is StringFormat.NUMBER
    )
    is_comparable = has_one_spelling or (enum is not None and all(len(value.json) <= 1 for value in enum.values))
    for constraint in by_kind.get(Kind.UNIQUE_ITEMS, ()):
        if not constraint.value:
            outcome.mark_implied([constraint])
        elif is_comparable:
            outcome.add_rule([constraint], RULE_ITEMS, "repeated.unique", value=True)
        else:
            outcome.reject([constraint], NOT_UNIQUE)


def translate_map(by_kind: ByKind, resolve: Callable[[str], Constraints], outcome: RuleOutcome) -> None:
    """Translate the number of keys of a map and the constraints of its keys; `resolve` looks up a `$ref`."""
    kinds, paths = (Kind.MIN_PROPERTIES, Kind.MAX_PROPERTIES), ("map.min_pairs", "map.max_pairs")
    translate_sizes(by_kind, kinds, RULE_KEYS, paths, outcome)
    for constraint in by_kind.get(Kind.PROPERTY_NAMES, ()):
        _translate_key_schema(constraint, resolve, outcome)
    for constraint in by_kind.get(Kind.PATTERN_PROPERTIES, ()):
        try:
            pattern = "|".join(f"(?:{convert_pattern(each)})" for each in constraint.value)
        except PatternError as error:
            outcome.reject([constraint], str(error))
            continue
        outcome.add_rule([constraint], RULE_KEYS, "map.keys.string.pattern", pattern)


def _translate_key_schema(
    constraint: NormalizedConstraint, resolve: Callable[[str], Constraints], outcome: RuleOutcome
) -> None:
    """Translate the schema of the keys, if it has only keywords that constrain strings."""
    schema = constraint.value
    if not isinstance(schema, dict) or set(schema) - {*_ANNOTATIONS, *_KEY_KINDS, "$ref"}:
        outcome.reject([constraint], OTHER_KEYWORDS)
        return
    key_constraints = dict(resolve(schema["$ref"])) if "$ref" in schema else {}
    for each in [NormalizedConstraint(kind, schema[kind], ()) for kind in _KEY_KINDS if kind in schema]:
        key_constraints.setdefault(each.key, each)
    keys = RuleOutcome()
    translate_string(group_by_kind(key_constraints), keys)
    if key_constraints.keys() - keys.conversion_rules.keys() - keys.implied:
        outcome.reject([constraint], next(iter(keys.reasons.values()), OTHER_KEYWORDS))
    elif not keys.rules:
        outcome.mark_implied([constraint])
    elif "cel" in keys.rules or any(path.startswith("map.keys.") for path in outcome.rules):
        outcome.reject([constraint], ONE_PATTERN)
    else:
        outcome.rules |= {f"map.keys.{path}": value for path, value in keys.rules.items()}
        outcome.conversion_rules[constraint.key] = RULE_KEYS
