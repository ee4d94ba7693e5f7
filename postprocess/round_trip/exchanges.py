"""Exchanges for the check that all values come back: requests and answers of each rpc, made from their parameters and
bodies as `samples` makes values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from spec2proto_codec import HttpRequest, HttpResponse
from spec2proto_codec.errors import CodecError
from spec2proto_codec.formats import documents, json
from spec2proto_codec.http import bodies, event_stream, parameters
from spec2proto_codec.http.event_stream import Event
from spec2proto_codec.http.routes import Form, Rpc, strip_parameters
from spec2proto_codec.plans.types import FieldPlan, MessagePlan

from postprocess.round_trip.samples import NONE, Samples

BODIES = 3
"""How many bodies are tried in each place."""


def requests_of(rpc: Rpc, samples: Samples) -> Iterator[HttpRequest]:
    """The requests to try: each HTTP form with its path alone, and the first with all parameters and a body.

    Args:
        rpc: of which.
        samples: of the contract's messages.
    """
    for at, form in enumerate(rpc.forms):
        path = _path(rpc, form, samples)
        if path is None:
            continue
        yield HttpRequest(form.method, path)
        wanted = {} if at else _query(rpc, form, samples)
        query, headers = _split(rpc.request, wanted)
        for media_type in form.request_types or ("",):
            for body in _bodies(rpc, form, media_type, samples) if form.request_types else (None,):
                text, data = (None, body) if isinstance(body, bytes) else (body, None)
                yield HttpRequest(form.method, path, urlencode(query), text, media_type, headers, data)


def _path(rpc: Rpc, form: Form, samples: Samples) -> str | None:
    """The path with a value for each parameter; None where one has no value that is a text."""
    path = form.template
    for name in form.path_parameters:
        item = next(iter(rpc.request.parameters.get(name, ())), None)
        text = _text(item, samples, in_path=True) if item is not None else None
        if text is None:
            return None
        path = path.replace(f"{{{name}}}", quote(text[0], safe=""))
    return path


def _query(rpc: Rpc, form: Form, samples: Samples) -> dict[str, list[str]]:
    """The texts of all parameters that do not stand in the path."""
    shared = next((item.plan for item in rpc.request.fields.values() if item.role == "global"), None)
    own = {name: listed[-1] for name, listed in rpc.request.parameters.items() if name not in form.path_parameters}
    further = {name: listed[-1] for name, listed in shared.parameters.items()} if shared is not None else {}
    found = {name: _text(item, samples, in_path=False) for name, item in (further | own).items()}
    return {name: text for name, text in found.items() if text is not None}


def _split(request: MessagePlan, wanted: dict[str, list[str]]) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """The pairs of the query, and the headers."""
    headers = {name for name, listed in request.parameters.items() if listed[-1].options.in_header}
    pairs = [(name, text) for name, listed in wanted.items() if name not in headers for text in listed]
    return pairs, {name: wanted[name][0] for name in sorted(headers & wanted.keys())}


def _text(item: FieldPlan, samples: Samples, *, in_path: bool) -> list[str] | None:
    """The texts of the first value of a parameter that is not empty."""
    for value in islice(samples.field(item), BODIES):
        if value is not None and type(value) is not dict:
            found = parameters.format_value(item, value, in_path=in_path)
            if all(found):
                return found
    return None


def _bodies(rpc: Rpc, form: Form, media_type: str, samples: Samples) -> Iterator[bodies.Body]:
    item = rpc.find_body_field(form, strip_parameters(media_type))
    if item is None:
        values: Iterable[Any] = [_inline(rpc.request, samples)]
    else:
        values = samples.field(item)
    yield from _written(values, strip_parameters(media_type), item)


def _inline(request: MessagePlan, samples: Samples) -> Any:
    found = {name: next(samples.field(item), NONE) for name, item in request.properties.items()}
    return {name: value for name, value in found.items() if value is not NONE}


def _written(values: Iterable[Any], media_type: str, item: FieldPlan | None) -> Iterator[bodies.Body]:
    """The bodies of a type that the codec reads and the field takes."""
    for value in islice((value for value in values if value is not None), BODIES):
        body = bodies.write(value, media_type)
        try:
            bodies.read(body, media_type, item)
        except CodecError:
            return
        if body:
            yield body


def responses_of(rpc: Rpc, samples: Samples) -> Iterator[tuple[HttpRequest, HttpResponse]]:
    """The answers to try, each with what was asked: of each status and type that the first HTTP form declares.

    Args:
        rpc: of which.
        samples: as above.
    """
    form = next((form for form in rpc.forms if _path(rpc, form, samples) is not None), None)
    if form is None:
        return
    asked = HttpRequest(form.method, _path(rpc, form, samples) or "")
    for declared, kind, name in form.responses:
        status = int(declared) if declared.isdecimal() else 200
        item = next((item for item in rpc.response.fields.values() if item.name == name), None) if name else None
        if not kind:
            yield asked, HttpResponse(status)
        elif item is not None and bodies.is_events(strip_parameters(kind)):
            found = (
                Event(str(body), ("event: a",)) for body in _written(samples.field(item), strip_parameters(kind), item)
            )
            yield asked, HttpResponse(status, kind, event_stream.write(found))
        elif item is not None:
            for body in _written(samples.field(item), strip_parameters(kind), item):
                text, data = (None, body) if isinstance(body, bytes) else (body, None)
                yield asked, HttpResponse(status, kind, text, data)


def same_request(first: HttpRequest, second: HttpRequest) -> bool:
    """Whether two requests ask for the same; the order in the query and how paths are escaped do not count."""
    return (
        (first.method, unquote(first.path), first.headers) == (second.method, unquote(second.path), second.headers)
        and _pairs(first.query) == _pairs(second.query)
        and same_body(first.content, second.content, first.content_type)
    )


def _pairs(query: str) -> list[tuple[str, str]]:
    return sorted(parse_qsl(query, keep_blank_values=True))


def same_body(first: bodies.Body | None, second: bodies.Body | None, media_type: str) -> bool:
    """Whether two bodies are equal, white space and the order of keys left aside."""
    kind = strip_parameters(media_type)
    if not first or not second:
        return not first and not second
    encoding = documents.find_encoding(kind)
    if encoding is not None and isinstance(first, bytes) and isinstance(second, bytes):
        return same(documents.read(first, encoding), documents.read(second, encoding))
    if isinstance(first, str) and isinstance(second, str):
        if bodies.is_lines(kind):
            return same(json.parse_lines(first)[0], json.parse_lines(second)[0])
        if bodies.is_events(kind):
            return same(_values(first), _values(second))
    return same(json.parse(first), json.parse(second)) if bodies.is_json(kind) else first == second


def _values(text: str) -> list[Any]:
    """The events of a text: data as JSON, and the lines beside it."""
    return [[json.parse(event.data) if event.data else None, *event.others] for event in event_stream.parse(text)]


def same(first: Any, second: Any) -> bool:
    """Whether two JSON values are equal; 1 and 1.0 are, 1 and true are not."""
    if type(first) is dict and type(second) is dict:
        return first.keys() == second.keys() and all(same(value, second[name]) for name, value in first.items())
    if type(first) is list and type(second) is list:
        return len(first) == len(second) and all(map(same, first, second))
    return bool(first == second) and (type(first) is bool) == (type(second) is bool)
