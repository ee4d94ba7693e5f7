"""Make one request field for all parameters of one name among the HTTP forms of an operation group.

Sources: OpenAPI 3.0.3 and 3.1.0, section 4.8.12 (parameter object, with `style` and `explode`).
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.model.contract import Field, JsonRole, Rule
from pipeline.model.document.located import LocatedMap, make_list, make_map
from pipeline.model.identifiers import derive_message_name
from pipeline.model.json_encoding import PLAIN, JsonEncoding
from pipeline.model.source import FieldSource, SchemaSource
from preprocess.document.scope import Operation
from preprocess.naming.hints import NameHint
from preprocess.operations.bodies import make_schema_key
from preprocess.schema.all_of import is_object
from preprocess.schema.context import Context
from preprocess.schema.enums import find_union_values
from preprocess.schema.fields import choose_field_name, make_field
from preprocess.schema.scalars import RULE_SCALAR
from preprocess.schema.shapes import GENERAL_NUMBER, STRING, Kind, Shape, add_rule

RULE_REQUEST = Rule("request-message")
RULE_WIDEST = Rule("widest-parameter")
RULE_TRANSPORT = Rule("transport-parameter")
RULE_OVERLOADED = Rule("overloaded-parameter")
RULE_STYLE = Rule("parameter-style")
OVERLOADS = "x-overloaded-param"
_TRANSPORT_HEADERS = {"accept", "content-type", "authorization"}
_STYLES = {"query": "form", "cookie": "form"}
_SIGNED = frozenset({"int32", "uint32", "int64"})
_NUMBERS = _SIGNED | {"uint64", "float", "double"}


def is_transport(node: LocatedMap) -> bool:
    """Return whether a parameter is a cookie, or a header for the media type or the credentials.

    OpenAPI 3.1.0, section 4.8.12, requires tools to ignore such headers; gRPC sends them as metadata.
    """
    header = node.get("in") == "header" and str(node["name"]).lower() in _TRANSPORT_HEADERS
    return header or node.get("in") == "cookie"


def make_group_fields(context: Context, group: str, forms: list[Operation]) -> list[Field]:
    """Return the fields for the parameters of one operation group by name, without transport and global parameters."""
    by_name: dict[str, list[LocatedMap]] = {}
    for form in forms:
        for node in form.parameters:
            if not is_transport(node) and not node.get("x-global"):
                by_name.setdefault(str(node["name"]), []).append(node)
    for name, node in sorted(_list_overloads(by_name).items()):
        by_name.setdefault(name, [node])
    return [
        _make_group_field(context, group, suffix, nodes, forms)
        for name, same_name in sorted(by_name.items())
        for suffix, nodes in _split_by_location(name, same_name, forms)
    ]


def _read_overloads(node: LocatedMap) -> list[str]:
    names = node.get(OVERLOADS, [])
    return [str(name) for name in (names if isinstance(names, list) else [names])]


def _list_overloads(by_name: dict[str, list[LocatedMap]]) -> dict[str, LocatedMap]:
    return {
        name: make_map({"name": name, "in": node.get("in"), "schema": node["schema"]}, node.place)
        for nodes in by_name.values()
        for node in nodes
        for name in _read_overloads(node)
    }


def _split_by_location(
    name: str, nodes: list[LocatedMap], forms: list[Operation]
) -> list[tuple[str, list[LocatedMap]]]:
    """Return the parameters of one name by field suffix; they share a field unless one HTTP form has two of them."""
    twice = any(sum(node.get("name") == name for node in form.parameters) > 1 for form in forms)
    if not twice:
        return [("", nodes)]
    by_location: dict[str, list[LocatedMap]] = {}
    for node in nodes:
        by_location.setdefault(str(node.get("in")), []).append(node)
    first = "path" if "path" in by_location else min(by_location)
    others = sorted(by_location.keys() - {first})
    return [("", by_location[first]), *((f"_{location}", by_location[location]) for location in others)]


def _make_group_field(
    context: Context, group: str, suffix: str, nodes: list[LocatedMap], forms: list[Operation]
) -> Field:
    """Return the field for the parameters of one name; it is required if every HTTP form requires it."""
    ids = {id(node) for node in nodes}
    everywhere = all(any(id(node) in ids for node in form.parameters) for form in forms)
    overloaded = any(_read_overloads(node) for node in nodes)
    required = everywhere and not overloaded and all(node.get("required") is True for node in nodes)
    rules = [RULE_REQUEST]
    rules += [RULE_OVERLOADED] if overloaded else []
    rules += [RULE_STYLE] if _describe_encoding(nodes) != PLAIN else []
    parent = NameHint(SchemaSource.for_operation(group), derive_message_name(group))
    return make_parameter_field(context, nodes, parent, rules=tuple(rules), required=required, suffix=suffix)


def make_parameter_field(
    context: Context,
    nodes: list[LocatedMap],
    parent: NameHint,
    *,
    rules: tuple[Rule, ...],
    required: bool = False,
    suffix: str = "",
) -> Field:
    """Return the field for the parameters of one name; a suffix such as `_query` distinguishes two such fields."""
    key = str(nodes[0]["name"])
    name = choose_field_name(key, nodes[0]) + suffix
    return make_field(
        context,
        source=FieldSource.for_parameter(key, suffix.removeprefix("_")),
        name=name,
        json_name=key,
        shape=_convert_schemas(context, nodes, parent.property(key, name)),
        required=required,
        role=JsonRole.PARAMETER,
        places=tuple(dict.fromkeys(node.place for node in nodes)),
        rules=rules,
        deprecated=context.version.get_deprecation(nodes[0]),
        encoding=_describe_encoding(nodes),
    )


def _describe_encoding(nodes: list[LocatedMap]) -> JsonEncoding:
    """Return how the string of a parameter differs from OpenAPI's defaults; the first node that declares it counts."""
    style, explode, content_type, is_header = "", None, "", False
    for node in reversed(nodes):
        location = str(node.get("in"))
        default_style = _STYLES.get(location, "simple")
        node_style = str(node.get("style", default_style))
        if node_style != default_style:
            style = node_style
        if node.get("explode") is (node_style != "form"):
            explode = node["explode"]
        if isinstance(node.get("content"), LocatedMap) and node["content"]:
            content_type = str(next(iter(node["content"])))
        is_header |= location == "header"
    overloads = tuple(sorted({name for node in nodes for name in _read_overloads(node)}))
    return JsonEncoding(
        style=style, explode=explode, content_type=content_type, is_header=is_header, overloads=overloads
    )


def _convert_schemas(context: Context, nodes: list[LocatedMap], hint: NameHint) -> Shape:
    """Return the shape that holds the values of all parameters: their one schema, a union, or the widest scalar."""
    place = nodes[0].place
    schemas = list({make_schema_key(node["schema"]): node["schema"] for node in reversed(nodes)}.values())[::-1]
    if len(schemas) == 1:
        return context.convert_schema(schemas[0], hint, place)
    union = make_map({"oneOf": make_list(schemas, place)}, place)
    if find_union_values(schemas) is not None or any(is_object(context, schema) for schema in schemas):
        return context.convert_schema(union, hint)
    hints = [NameHint(hint.source, hint.name)] + [
        NameHint(hint.source.append_variant(f"form{number}"), f"{hint.name}Form{number}")
        for number in range(2, len(schemas) + 1)
    ]
    shapes = [context.convert_schema(schema, schema_hint) for schema, schema_hint in zip(schemas, hints, strict=True)]
    widest = find_widest(shapes)
    return replace(add_rule(widest, RULE_WIDEST), widened=True) if widest else context.convert_schema(union, hint)


def find_widest(shapes: list[Shape]) -> Shape | None:
    """Return the shape that holds the values of all shapes; None if there is none.

    An array also holds its single items. Numbers widen to a larger number type. Any other mix of scalars and enums is
    a string, because a URL contains only strings.
    """
    nullable = any(shape.nullable for shape in shapes)
    arrays = [shape for shape in shapes if shape.kind is Kind.ARRAY]
    if arrays:
        inner = find_widest([shape.inner if shape.kind is Kind.ARRAY else shape for shape in shapes])
        single = len(arrays) < len(shapes) or any(shape.single for shape in arrays)
        return replace(arrays[0], item=inner, single=single, nullable=nullable) if inner else None
    equal = all(shape == shapes[0] for shape in shapes)
    widest = shapes[0] if equal else _widen_scalars(shapes)
    return replace(widest, nullable=nullable) if widest else None


def _widen_scalars(shapes: list[Shape]) -> Shape | None:
    if any(shape.kind not in {Kind.SCALAR, Kind.ENUM} and shape != GENERAL_NUMBER for shape in shapes):
        return None
    names = {shape.name for shape in shapes}
    if not names <= _NUMBERS | {GENERAL_NUMBER.name}:
        return STRING
    if names <= _SIGNED:
        return Shape(Kind.SCALAR, "int64", rules=(RULE_SCALAR,))
    if names <= {"float", "double"}:
        return Shape(Kind.SCALAR, "double", rules=(RULE_SCALAR,))
    return GENERAL_NUMBER
