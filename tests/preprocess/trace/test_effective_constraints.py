"""The constraints of a schema include those of `$ref` and `allOf`, and those that all variants share."""

from __future__ import annotations

from typing import Any

from pipeline.model.diagnostics import Place
from pipeline.model.schema_facts import Constraint, SchemaFacts
from preprocess.trace.effective_constraints import EffectiveConstraints


def make_schema(name: str, constraint: tuple[str, Any] | None = None, **facts: Any) -> SchemaFacts:
    place = Place(pointer=f"/{name}")
    constraints = (Constraint(*constraint, place),) if constraint else ()
    return SchemaFacts(place, constraints=constraints, **facts)


def list_values(node: SchemaFacts, **components: SchemaFacts) -> dict[str, Any]:
    """Return the value of each effective constraint, by kind."""
    constraints = EffectiveConstraints(components).get_constraints(node)
    return {kind: constraint.value for (kind, _), constraint in constraints.items()}


SHORT, LONG = ("maxLength", 9), ("minLength", 2)


def test_references_and_members_apply() -> None:
    base = make_schema("base", SHORT)
    node = make_schema("node", members=(make_schema("member", LONG), make_schema("reference", ref="Base")))
    assert list_values(node, Base=base) == {"maxLength": 9, "minLength": 2}


def test_constraints_of_one_variant_do_not_apply() -> None:
    both = make_schema("both", SHORT, members=(make_schema("member", LONG),))
    assert list_values(make_schema("node", variants=(both, make_schema("other", LONG)))) == {"minLength": 2}
    assert list_values(make_schema("node", variants=(both,))) == {"maxLength": 9, "minLength": 2}


def test_shared_constraint_lists_the_keywords_of_all_variants() -> None:
    node = make_schema("node", variants=(make_schema("first", SHORT), make_schema("second", SHORT)))
    [constraint] = EffectiveConstraints({}).get_constraints(node).values()
    assert [str(each.place.pointer) for each in constraint.constraints] == ["/first", "/second"]


def test_a_union_that_contains_itself_ends() -> None:
    node = make_schema("node", LONG, ref="Node")
    component = make_schema("component", SHORT, variants=(node,))
    assert list_values(component, Node=component) == {"maxLength": 9, "minLength": 2}
