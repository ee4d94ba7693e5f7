"""Collect the ids of the conversion rules: the constants in the code, and the ids on the elements of a contract."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from pipeline.model.contract import Contract, Rule
from pipeline.model.paths import ROOT

PACKAGES = ("pipeline", "preprocess", "postprocess", "codec/python/spec2proto_codec")
# Rules about names, numbers, rpcs, files, comments and whole documents concern every element. No element carries their
# id, so they have a page and an owner, and no constant.
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


def marked(contract: Contract) -> Iterator[tuple[str, tuple[Rule, ...]]]:
    """Yield every element of a contract by name, with the rules that led to it."""
    for message in contract.messages.values():
        yield message.name, message.rules
        yield from ((f"{message.name}.{item.name}", item.rules) for item in message.fields)
    yield from ((enum.name, enum.rules) for enum in contract.enums.values())
    yield from ((f"{rpc.service}/{rpc.name}", rpc.rules) for rpc in contract.rpcs)


def occurring(contract: Contract) -> set[Rule]:
    """Return the rules that occur in a contract, those of its exclusions included."""
    found = {rule for _, rules in marked(contract) for rule in rules}
    return found | {exclusion.rule for exclusion in contract.exclusions}


def parse_modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield the syntax tree of every product module, with the module's name."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield _module_name(path), ast.parse(path.read_text(encoding="utf-8"))


def _module_name(path: Path) -> str:
    name = path.relative_to(ROOT).with_suffix("").as_posix().removeprefix("codec/python/")
    return name.replace("/", ".").removesuffix(".__init__")


def list_definitions() -> list[tuple[str, str]]:
    """Return the id and the module of every `NAME = Rule("id")` at the top level of a module."""
    return [
        (_constant(node.value), module)
        for module, tree in parse_modules()
        for node in tree.body
        if isinstance(node, ast.Assign) and _is_rule(node.value)
    ]


def list_rule_calls() -> list[str]:
    """Return the module of every call of `Rule`, wherever it stands."""
    return [module for module, tree in parse_modules() for node in ast.walk(tree) if _is_rule(node)]


def _is_rule(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == Rule.__name__
        and _is_id(node)
    )


def _is_id(call: ast.Call) -> bool:
    return len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and not call.keywords


def _constant(node: ast.expr) -> str:
    assert isinstance(node, ast.Call)
    assert isinstance(node.args[0], ast.Constant)
    return str(node.args[0].value)
