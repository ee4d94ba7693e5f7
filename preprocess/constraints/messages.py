"""How many properties an object has, as rules of protovalidate on its message or its oneof.

Null and an empty list are as good as nothing in protobuf: properties that may be either are not counted from below.
Sources: buf/validate/validate.proto (MessageRules, OneofRules); JSON Schema validation 2020-12, section 6.5; the
Common Expression Language, reserved words.
"""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.model.contract import SCALARS, Field, JsonForm, JsonRole, Label, Message
from preprocess.constraints.bounds import MOST, ByKind
from preprocess.constraints.outcome import NO_VALUE, Cel, Said
from preprocess.constraints.targets import MANY
from preprocess.trace.normalized_constraints import Kind, NormalizedConstraint

RULE = "validate-properties"
ONEOF = "property-oneof"
UNSEEN = "a property that is null or an empty list is as good as none in protobuf"
RESERVED = "a field has a name that is reserved in expressions"
OTHER_KEYS = "not all of its properties are fields of the message itself"
_RESERVED = {
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
}
_RESERVED |= {"namespace", "null", "package", "return", "true", "var", "void", "while"}


def of_message(by_kind: ByKind, message: Message, live: list[Field], said: Said) -> str | None:
    """How many properties an object has.

    Args:
        by_kind: what is demanded of the object.
        message: that it is.
        live: the fields that stand for something.
        said: what becomes of it.

    Returns:
        The oneof of which a member must be set, if any.
    """
    required = None
    for demand in by_kind.get(Kind.MIN_PROPERTIES, ()):
        oneof = _exclusive(live)
        if demand.value <= _certain(live):
            said.meet([demand])
        elif demand.value == 1 and oneof and not any(_may_vanish(item) for item in live):
            said.by[demand.key], required = RULE, oneof
        else:
            _count(demand, ">=", message, live, said)
    for demand in by_kind.get(Kind.MAX_PROPERTIES, ()):
        alike = all(item.role is JsonRole.PROPERTY for item in live)
        if (demand.value >= len(live) and alike) or (demand.value >= 1 and _exclusive(live)):
            said.meet([demand])
        elif demand.value == 1 and any(item.oneof is not None and ONEOF in item.rules for item in live):
            said.meet([demand])  # asked of one member of an allOf, whose properties the oneof has
        else:
            _count(demand, "<=", message, live, said)
    return required


def _exclusive(live: list[Field]) -> str | None:
    """The oneof that all properties are members of."""
    oneofs = {item.oneof for item in live}
    alike = all(item.role is JsonRole.PROPERTY for item in live)
    return oneofs.pop() if alike and len(oneofs) == 1 else None


def _certain(live: list[Field]) -> int:
    """How many properties are there in any case."""
    return sum(item.encoding.is_required for item in live if item.role is JsonRole.PROPERTY)


def _may_vanish(item: Field) -> bool:
    """Whether a property that is there may leave no trace in the message."""
    without = item.label is Label.SINGULAR and item.oneof is None and item.type in SCALARS
    return item.label in MANY or item.encoding.is_nullable or (without and not item.encoding.is_required)


def _count(demand: NormalizedConstraint, sign: str, message: Message, live: list[Field], said: Said) -> None:
    """An expression that counts the fields that are set."""
    least = sign == ">="
    if demand.value > MOST:
        if least:
            said.refuse([demand], NO_VALUE)
        else:
            said.meet([demand])
    elif message.form is not JsonForm.OBJECT or any(
        item.role not in {JsonRole.PROPERTY, JsonRole.REST} for item in live
    ):
        said.refuse([demand], OTHER_KEYS)
    elif least and any(_may_vanish(item) for item in live if item.role is JsonRole.PROPERTY):
        said.refuse([demand], UNSEEN)
    elif any(item.name in _RESERVED for item in live):
        said.refuse([demand], RESERVED)
    elif least and demand.value == 1:
        any_of = " || ".join(map(_is_set, live))
        said.calculate([demand], RULE, Cel("at_least_1_property", "must have a property", any_of))
    else:
        words = f"at {'least' if least else 'most'} {demand.value} propert{'y' if demand.value == 1 else 'ies'}"
        cel = Cel(words.replace(" ", "_"), f"must have {words}", f"{_sum(live)} {sign} {demand.value}")
        said.calculate([demand], RULE, cel)


def _is_set(item: Field) -> str:
    """Whether a field is set, in the Common Expression Language."""
    return f"has(this.{item.name})"


def _sum(live: Iterable[Field]) -> str:
    """How many properties there are, in the Common Expression Language."""
    parts = []
    certain = 0
    for item in live:
        if item.role is JsonRole.REST and item.label is Label.MAP:
            parts.append(f"this.{item.name}.size()")
        elif item.role is JsonRole.REST:
            parts.append(f"this.{item.name}.fields.size()")
        elif item.encoding.is_required:
            certain += 1
        else:
            parts.append(f"({_is_set(item)} ? 1 : 0)")
    return " + ".join([*([str(certain)] if certain else []), *parts])
