"""Each rule has one constant, in the module that its page names as the owner, and no code decides by a rule."""

from __future__ import annotations

import ast
from collections import Counter
from importlib.util import find_spec

from tests.rules.ids import UNMARKED, list_definitions, list_rule_calls, parse_modules
from tests.rules.pages import read_pages

PAGES = {page.stem: page for page in read_pages()}
DEFINITIONS = list_definitions()
# Their outcomes have an attribute `rules` too: the rules of protovalidate that a field gets.
_PROTOVALIDATE = {f"preprocess.constraints.{name}" for name in ("bounds", "containers", "strings")}


def test_every_rule_is_defined_once() -> None:
    assert [rule for rule, count in Counter(rule for rule, _ in DEFINITIONS).items() if count > 1] == []
    assert len(list_rule_calls()) == len(DEFINITIONS), "a rule is a constant at the top level of a module"


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    assert {rule for rule, _ in DEFINITIONS} == PAGES.keys() - UNMARKED
    assert PAGES.keys() >= UNMARKED


def test_a_page_names_the_module_that_defines_its_rule() -> None:
    modules = dict(DEFINITIONS)
    assert {stem: page.owner for stem, page in PAGES.items() if stem in modules} == modules
    assert [stem for stem in sorted(UNMARKED) if find_spec(PAGES[stem].owner) is None] == []


def test_no_rule_is_written_as_a_bare_string() -> None:
    ids = {rule for rule, _ in DEFINITIONS if "-" in rule}
    found = Counter(
        node.value
        for _, tree in parse_modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in ids
    )
    assert {rule: count for rule, count in found.items() if count > 1} == {}


def test_no_code_decides_by_the_rules_that_led_to_an_element() -> None:
    """Rules explain an element. A decision reads a fact, such as `Field.is_retained`."""
    found = [
        f"{module}:{node.lineno}"
        for module, tree in parse_modules()
        if module not in _PROTOVALIDATE
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for operator, operand in zip(node.ops, node.comparators, strict=True)
        if isinstance(operator, ast.In | ast.NotIn) and isinstance(operand, ast.Attribute) and operand.attr == "rules"
    ]
    assert found == []
