"""The ids of the conversion rules, as the code has them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import preprocess
from pipeline.model.contract import Contract

# Rules about names, numbers, rpcs, files, comments and whole documents concern every element, so no element carries
# their id.
UNMARKED = frozenset(
    {
        "changed-kind",
        "comments",
        "constraints",
        "deprecation",
        "enum-numbers",
        "enum-value-names",
        "field-names",
        "field-numbers",
        "files",
        "inline-names",
        "inner-references",
        "message-names",
        "operation-names",
        "overlays",
        "presence",
        "published-rpcs",
        "renames",
        "responses",
        "services",
        "swagger-2",
    }
)
_HYPHENATED = re.compile(r"(?!x-)[a-z]+(-[a-z]+)+")
# Words with hyphens that are no ids: names that other standards give.
_FOREIGN = frozenset({"content-type"})


def marked(contract: Contract) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every element of a contract by name, with the ids of the rules that made it what it is."""
    for message in contract.messages.values():
        yield message.name, message.rules
        yield from ((f"{message.name}.{item.name}", item.rules) for item in message.fields)
    yield from ((enum.name, enum.rules) for enum in contract.enums.values())
    yield from ((f"{rpc.service}/{rpc.name}", rpc.rules) for rpc in contract.rpcs)


def occurring(contract: Contract) -> set[str]:
    """The ids that occur in a contract, those of its exclusions included."""
    found = {rule for _, rules in marked(contract) for rule in rules}
    return found | {exclusion.rule for exclusion in contract.exclusions}


def written() -> set[str]:
    """The ids that stand in the code: constants `RULE_…`, and literals of several words."""
    return set(_constants()) | (set(_literals()) - _FOREIGN)


def _constants() -> Iterator[str]:
    for module in pkgutil.walk_packages(preprocess.__path__, "preprocess."):
        values = vars(importlib.import_module(module.name)).items()
        yield from (value for name, value in values if name.startswith("RULE_") and isinstance(value, str))


def _literals() -> Iterator[str]:
    for path in sorted(Path(next(iter(preprocess.__path__))).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _HYPHENATED.fullmatch(node.value):
                yield node.value
