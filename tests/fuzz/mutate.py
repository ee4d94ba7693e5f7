"""Mutations of a document's structure. Each is a function of a document and dice; the same seed, the same result."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.fuzz.bases import Document, copied
from tests.fuzz.words import DEEP, HOSTILE, KEYWORDS, NUMBERS, REFERENCES, SCHEMAS, WIDE, WRONG

Mutation = Callable[[Document, random.Random], None]
Slot = tuple[Any, Any]
FEWEST, MOST = 1, 6


def slots(document: Document) -> list[Slot]:
    """Every place of a value: what holds it, and its key or index."""
    found: list[Slot] = []
    waiting: list[Any] = [document]
    while waiting:
        holder = waiting.pop()
        pairs = list(holder.items() if isinstance(holder, dict) else enumerate(holder))
        for key, value in pairs:
            found.append((holder, key))
            if isinstance(value, (dict, list)):
                waiting.append(value)
    return found


def _slot(document: Document, dice: random.Random, wanted: type | tuple[type, ...] = object) -> Slot | None:
    """One place, each kind of key as likely as any other, so that rare keywords get their share."""
    by_key: dict[str, list[Slot]] = {}
    for holder, key in slots(document):
        if isinstance(holder[key], wanted):
            by_key.setdefault(str(key) if isinstance(holder, dict) else "[]", []).append((holder, key))
    if not by_key:
        return None
    names = sorted(by_key)
    known = [name for name in names if name in KEYWORDS]
    return dice.choice(by_key[dice.choice(known if known and dice.random() < 0.5 else names)])


def _fresh(dice: random.Random, values: list[Any]) -> Any:
    return copied({"value": dice.choice(values)})["value"]


def delete(document: Document, dice: random.Random) -> None:
    """A node goes."""
    if slot := _slot(document, dice):
        del slot[0][slot[1]]


def retype(document: Document, dice: random.Random) -> None:
    """A node becomes a value of another type."""
    if slot := _slot(document, dice):
        slot[0][slot[1]] = _fresh(dice, WRONG)


def number(document: Document, dice: random.Random) -> None:
    """A number, or any node, becomes a number at an edge."""
    if slot := _slot(document, dice, (int, float)) or _slot(document, dice):
        slot[0][slot[1]] = dice.choice(NUMBERS)


def duplicate(document: Document, dice: random.Random) -> None:
    """A node stands once more, under another key, possibly one that differs in spelling only."""
    if slot := _slot(document, dice):
        holder, key = slot
        again = copied({"value": holder[key]})["value"]
        if isinstance(holder, list):
            holder.append(again)
        else:
            holder[dice.choice([f"{key}_2", str(key).upper(), f"_{key}", f"{key}-", f" {key}", *HOSTILE])] = again


def swap(document: Document, dice: random.Random) -> None:
    """Two nodes change places; one may hold the other, which then stays where it was, too."""
    first, second = _slot(document, dice), _slot(document, dice)
    if first and second:
        one, other = (copied({"value": holder[key]})["value"] for holder, key in (first, second))
        first[0][first[1]], second[0][second[1]] = other, one


def refer(document: Document, dice: random.Random) -> None:
    """A reference leads elsewhere."""
    slot = _slot(document, dice, str) if dice.random() < 0.2 else None
    holders = [(holder, key) for holder, key in slots(document) if key == "$ref" and isinstance(holder, dict)]
    if slot := slot or (dice.choice(holders) if holders else None):
        slot[0][slot[1]] = _reference(document, dice)


def _reference(document: Document, dice: random.Random) -> str:
    if dice.random() < 0.3:
        return str(dice.choice(REFERENCES))
    components = document.get("components")
    sections = [
        f"#/components/{kind}/{key}"
        for kind, section in (components.items() if isinstance(components, dict) else ())
        for key in (section if isinstance(section, dict) else ())
    ]
    return dice.choice(sections or REFERENCES)


def point(document: Document, dice: random.Random) -> None:
    """A schema, or any mapping, becomes a reference, with or without what it had beside it."""
    if slot := _slot(document, dice, dict):
        holder, key = slot
        beside = holder[key] if dice.random() < 0.5 else {}
        holder[key] = beside | {"$ref": _reference(document, dice)}


def rename(document: Document, dice: random.Random) -> None:
    """A key becomes a hostile text, in its place."""
    if slot := _slot(document, dice):
        holder, key = slot
        if isinstance(holder, dict):
            items = [(dice.choice(HOSTILE) if name == key else name, value) for name, value in holder.items()]
            holder.clear()
            holder.update(items)


def retell(document: Document, dice: random.Random) -> None:
    """A text becomes a hostile one."""
    if slot := _slot(document, dice, str):
        slot[0][slot[1]] = dice.choice(HOSTILE)


def keyword(document: Document, dice: random.Random) -> None:
    """A mapping gets a keyword with a value of a wrong type."""
    if slot := _slot(document, dice, dict):
        slot[0][slot[1]][dice.choice(KEYWORDS)] = _fresh(dice, WRONG)


def schema(document: Document, dice: random.Random) -> None:
    """A mapping gets a keyword as a schema may have it, or becomes another schema."""
    if slot := _slot(document, dice, dict):
        holder, key = slot
        made = _fresh(dice, SCHEMAS)
        holder[key] = holder[key] | made if isinstance(made, dict) and dice.random() < 0.7 else made


def deepen(document: Document, dice: random.Random) -> None:
    """A node stands within many others."""
    if slot := _slot(document, dice, dict):
        holder, key = slot
        wide = dice.random() < 0.2
        wrap = dice.choice(WIDE if wide else DEEP)
        for _ in range(dice.choice([1, 2, 5] if wide else [2, 5, 20, 60])):
            holder[key] = wrap(holder[key])


def cycle(document: Document, dice: random.Random) -> None:
    """Component schemas lead to one another by one keyword, or to themselves."""
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, dict) else None
    if not isinstance(schemas, dict) or not schemas:
        return
    chosen = dice.sample(sorted(schemas), min(len(schemas), dice.choice([1, 2, 3])))
    for key, after in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
        reference = {"$ref": f"#/components/schemas/{after}"}
        made = dice.choice([lambda item: item, *DEEP])(reference)
        schemas[key] = made if dice.random() < 0.5 or not isinstance(schemas[key], dict) else schemas[key] | made


MUTATIONS: tuple[Mutation, ...] = (
    delete,
    retype,
    number,
    duplicate,
    swap,
    refer,
    point,
    rename,
    retell,
    keyword,
    schema,
    deepen,
    cycle,
)


def mutated(document: Document, seed: int, kept: list[int] | None = None) -> tuple[Document, list[str]]:
    """A document after the mutations of a seed, and their names; with `kept` only those at these indexes."""
    plan = random.Random(seed)  # noqa: S311 - tests, not secrets
    chosen = [plan.choice(MUTATIONS) for _ in range(plan.randint(FEWEST, MOST))]
    result, names = copied(document), []
    for index, mutation in enumerate(chosen):
        dice = random.Random(f"{seed}/{index}")  # noqa: S311 - its own dice, so that leaving one out moves no other
        if kept is None or index in kept:
            mutation(result, dice)
            names.append(mutation.__name__)
    return result, names
