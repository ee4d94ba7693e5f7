"""Parameters: one field for all parameters of a name that the forms of an operation group have.

Sources: OpenAPI 3.0.3 and 3.1.0, section 4.8.12 (parameter object, with `style` and `explode`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pipeline.model.contract import Field, JsonRole
from pipeline.model.document.located import LocatedMap, make_list, make_map
from pipeline.model.identifiers import derive_message_name
from pipeline.model.json_encoding import PLAIN, JsonEncoding
from pipeline.model.rule import Rule
from pipeline.model.source import FieldSource, SchemaSource
from preprocess.document.scope import Operation
from preprocess.naming.hints import NameHint
from preprocess.operations.bodies import same_schema
from preprocess.schema import all_of
from preprocess.schema.context import ConversionContext
from preprocess.schema.enums import find_union_values
from preprocess.schema.field_options import choose_field_name
from preprocess.schema.fields import make_field
from preprocess.schema.shapes import Shape, add_rule
from preprocess.schema.widest_type import find_widest

RULE_REQUEST = Rule("request-message")
RULE_WIDEST = Rule("widest-parameter")
RULE_TRANSPORT = Rule("transport-parameter")
RULE_OVERLOADED = Rule("overloaded-parameter")
RULE_STYLE = Rule("parameter-style")
OVERLOADS = "x-overloaded-param"
_TRANSPORT_HEADERS = {"accept", "content-type", "authorization"}
_STYLES = {"query": "form", "cookie": "form"}


def of_transport(node: LocatedMap) -> bool:
    """Whether a parameter is a cookie, or a header that says how bodies are written or who asks.

    OpenAPI 3.1.0, section 4.8.12, has tools ignore such headers; over gRPC they are metadata.
    """
    header = node.get("in") == "header" and str(node["name"]).lower() in _TRANSPORT_HEADERS
    return header or node.get("in") == "cookie"


def of_group(context: ConversionContext, group: str, forms: list[Operation]) -> list[Field]:
    """The fields of the parameters that a group has of its own, in order of their names.

    Args:
        context: for the shapes of their schemas.
        group: the operation group.
        forms: its HTTP forms.
    """
    found: dict[str, list[LocatedMap]] = {}
    for node in own(forms):
        found.setdefault(str(node["name"]), []).append(node)
    for name, node in sorted(_overloads(found).items()):
        found.setdefault(name, [node])
    return [
        _field(context, group, name, suffix, nodes, forms)
        for name, listed in sorted(found.items())
        for suffix, nodes in _apart(name, listed, forms)
    ]


def own(forms: list[Operation]) -> Iterator[LocatedMap]:
    """The parameters that belong to the operation itself: neither to the transport nor to all operations."""
    return (node for form in forms for node in form.parameters if not of_transport(node) and not node.get("x-global"))


def _overloaded(node: LocatedMap) -> list[str]:
    """The other parameters whose values a parameter takes as well."""
    told = node.get(OVERLOADS, [])
    return [str(name) for name in (told if isinstance(told, list) else [told])]


def _overloads(found: dict[str, list[LocatedMap]]) -> dict[str, LocatedMap]:
    """A parameter for each name that another one is overloaded with."""
    return {
        other: make_map({"name": other, "in": node.get("in"), "schema": node["schema"]}, node.place)
        for nodes in found.values()
        for node in nodes
        for other in _overloaded(node)
    }


def _apart(name: str, nodes: list[LocatedMap], forms: list[Operation]) -> list[tuple[str, list[LocatedMap]]]:
    """The parameters of one name, by the suffix of their field: one field, unless one form takes two of them."""
    twice = any(sum(node.get("name") == name for node in form.parameters) > 1 for form in forms)
    if not twice:
        return [("", nodes)]
    found: dict[str, list[LocatedMap]] = {}
    for node in nodes:
        found.setdefault(str(node.get("in")), []).append(node)
    first = "path" if "path" in found else min(found)
    return [
        ("" if where == first else f"_{where}", found[where])
        for where in sorted(found, key=lambda item: (item != first, item))
    ]


def _field(
    context: ConversionContext, group: str, name: str, suffix: str, nodes: list[LocatedMap], forms: list[Operation]
) -> Field:
    words = choose_field_name(name, nodes[0]) + suffix
    hint = NameHint(SchemaSource.for_operation(group), derive_message_name(group)).property(name, words)
    ids = {id(node) for node in nodes}
    everywhere = all(any(id(node) in ids for node in form.parameters) for form in forms)
    overloaded = any(_overloaded(node) for node in nodes)
    rules = {RULE_REQUEST} | ({RULE_OVERLOADED} if overloaded else set())
    encoding = describe_encoding(nodes)
    return make_field(
        context,
        source=FieldSource.for_parameter(name, suffix.removeprefix("_")),
        name=words,
        json_name=name,
        shape=shape(context, nodes, hint),
        required=everywhere and not overloaded and all(node.get("required") is True for node in nodes),
        role=JsonRole.PARAMETER,
        places=tuple(dict.fromkeys(node.place for node in nodes)),
        rules=tuple(sorted(rules | ({RULE_STYLE} if encoding != PLAIN else set()))),
        deprecated=context.version.get_deprecation(nodes[0]),
        encoding=encoding,
    )


def describe_encoding(nodes: list[LocatedMap]) -> JsonEncoding:
    """Return how the string of a parameter differs from the defaults of OpenAPI; the first node that says so counts."""
    style, explode, content_type, is_header = "", None, "", False
    for node in reversed(nodes):
        where = str(node.get("in"))
        own_style = str(node.get("style", _STYLES.get(where, "simple")))
        if own_style != _STYLES.get(where, "simple"):
            style = own_style
        if node.get("explode") is (own_style != "form"):
            explode = node["explode"]
        if isinstance(node.get("content"), LocatedMap) and node["content"]:
            content_type = str(next(iter(node["content"])))
        is_header |= where == "header"
    overloads = tuple(sorted({other for node in nodes for other in _overloaded(node)}))
    return JsonEncoding(
        style=style, explode=explode, content_type=content_type, is_header=is_header, overloads=overloads
    )


def shape(context: ConversionContext, nodes: list[LocatedMap], hint: NameHint) -> Shape:
    """The shape that takes the values of all parameters of a name.

    Args:
        context: for the shapes of their schemas.
        nodes: the parameters.
        hint: what a message or enum for them would be called.
    """
    schemas = list({same_schema(node["schema"]): node["schema"] for node in reversed(nodes)}.values())[::-1]
    if len(schemas) == 1:
        return context.shape_of(schemas[0], hint, nodes[0].place)
    union = make_map({"oneOf": make_list(schemas, nodes[0].place)}, nodes[0].place)
    if find_union_values(schemas) is not None:
        return context.shape_of(union, hint)
    if any(all_of.is_object(context, schema) for schema in schemas):
        return context.shape_of(union, hint)
    numbered = [NameHint(hint.source, hint.name)] + [
        NameHint(hint.source.append_variant(f"form{number}"), f"{hint.name}Form{number}")
        for number in range(2, len(schemas) + 1)
    ]
    shapes = [context.shape_of(schema, named) for schema, named in zip(schemas, numbered, strict=True)]
    found = find_widest(shapes)
    return replace(add_rule(found, RULE_WIDEST), widened=True) if found else context.shape_of(union, hint)
