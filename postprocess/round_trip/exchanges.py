"""Create sample requests and responses of each rpc for the round trip, and compare them with what comes back."""

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

from postprocess.round_trip.samples import NO_VALUE, Samples

BODIES = 3
"""The number of bodies that are tried in each place."""


def sample_requests(rpc: Rpc, samples: Samples) -> Iterator[HttpRequest]:
    """Yield the requests to try: each HTTP form with its path only, and the first with all parameters and bodies."""
    for at, form in enumerate(rpc.forms):
        path = _fill_path(rpc, form, samples)
        if path is None:
            continue
        yield HttpRequest(form.method, path)
        parameter_values = {} if at else _sample_query(rpc, form, samples)
        query, headers = _split_parameters(rpc.request, parameter_values)
        for media_type in form.request_types or ("",):
            for body in _sample_bodies(rpc, form, media_type, samples) if form.request_types else (None,):
                text, data = (None, body) if isinstance(body, bytes) else (body, None)
                yield HttpRequest(form.method, path, urlencode(query), text, media_type, headers, data)


def _fill_path(rpc: Rpc, form: Form, samples: Samples) -> str | None:
    """Fill a path with a value for each parameter; return None if a parameter has no string value."""
    path = form.template
    for name in form.path_parameters:
        item = next(iter(rpc.request.parameters.get(name, ())), None)
        text = _sample_text(item, samples, in_path=True) if item is not None else None
        if text is None:
            return None
        path = path.replace(f"{{{name}}}", quote(text[0], safe=""))
    return path


def _sample_query(rpc: Rpc, form: Form, samples: Samples) -> dict[str, list[str]]:
    shared = next((item.plan for item in rpc.request.fields.values() if item.role == "global"), None)
    declared = {name: fields[-1] for name, fields in rpc.request.parameters.items() if name not in form.path_parameters}
    further = {name: fields[-1] for name, fields in shared.parameters.items()} if shared is not None else {}
    texts = {name: _sample_text(item, samples, in_path=False) for name, item in (further | declared).items()}
    return {name: text for name, text in texts.items() if text is not None}


def _split_parameters(
    request: MessagePlan, values: dict[str, list[str]]
) -> tuple[list[tuple[str, str]], dict[str, str]]:
    headers = {name for name, fields in request.parameters.items() if fields[-1].options.in_header}
    pairs = [(name, text) for name, texts in values.items() if name not in headers for text in texts]
    return pairs, {name: values[name][0] for name in sorted(headers & values.keys())}


def _sample_text(item: FieldPlan, samples: Samples, *, in_path: bool) -> list[str] | None:
    """Return the strings of the first sample of a parameter that is not empty."""
    for value in islice(samples.sample_field(item), BODIES):
        if value is not None and type(value) is not dict:
            texts = parameters.format_value(item, value, in_path=in_path)
            if all(texts):
                return texts
    return None


def _sample_bodies(rpc: Rpc, form: Form, media_type: str, samples: Samples) -> Iterator[bodies.Body]:
    item = rpc.find_body_field(form, strip_parameters(media_type))
    if item is None:
        values: Iterable[Any] = [_sample_inline_body(rpc.request, samples)]
    else:
        values = samples.sample_field(item)
    yield from _write_bodies(values, strip_parameters(media_type), item)


def _sample_inline_body(request: MessagePlan, samples: Samples) -> Any:
    members = {name: next(samples.sample_field(item), NO_VALUE) for name, item in request.properties.items()}
    return {name: value for name, value in members.items() if value is not NO_VALUE}


def _write_bodies(values: Iterable[Any], media_type: str, item: FieldPlan | None) -> Iterator[bodies.Body]:
    """Write values as bodies of a media type; stop at a body that the codec cannot read or the field cannot take."""
    for value in islice((value for value in values if value is not None), BODIES):
        body = bodies.write(value, media_type)
        try:
            bodies.read(body, media_type, item)
        except CodecError:
            return
        if body:
            yield body


def sample_responses(rpc: Rpc, samples: Samples) -> Iterator[tuple[HttpRequest, HttpResponse]]:
    """Yield the responses to try, each with its request: one per status and media type of the first HTTP form."""
    form = next((form for form in rpc.forms if _fill_path(rpc, form, samples) is not None), None)
    if form is None:
        return
    request = HttpRequest(form.method, _fill_path(rpc, form, samples) or "")
    for declared, kind, name in form.responses:
        status = int(declared) if declared.isdecimal() else 200
        item = next((item for item in rpc.response.fields.values() if item.name == name), None) if name else None
        if not kind:
            yield request, HttpResponse(status)
        elif item is not None and strip_parameters(kind) == bodies.EVENTS:
            events = (
                Event(str(body), ("event: a",))
                for body in _write_bodies(samples.sample_field(item), strip_parameters(kind), item)
            )
            yield request, HttpResponse(status, kind, event_stream.write(events))
        elif item is not None:
            for body in _write_bodies(samples.sample_field(item), strip_parameters(kind), item):
                text, data = (None, body) if isinstance(body, bytes) else (body, None)
                yield request, HttpResponse(status, kind, text, data)


def is_same_request(first: HttpRequest, second: HttpRequest) -> bool:
    """Return whether two requests are equal, except for the order of the query and the escaping of the path."""
    return (
        (first.method, unquote(first.path), first.headers) == (second.method, unquote(second.path), second.headers)
        and _sort_pairs(first.query) == _sort_pairs(second.query)
        and is_same_body(first.content, second.content, first.content_type)
    )


def _sort_pairs(query: str) -> list[tuple[str, str]]:
    return sorted(parse_qsl(query, keep_blank_values=True))


def is_same_body(first: bodies.Body | None, second: bodies.Body | None, media_type: str) -> bool:
    """Return whether two bodies are equal, except for white space and the order of keys."""
    kind = strip_parameters(media_type)
    if not first or not second:
        return not first and not second
    encoding = documents.find_encoding(kind)
    if encoding is not None and isinstance(first, bytes) and isinstance(second, bytes):
        return is_same_json(documents.read(first, encoding), documents.read(second, encoding))
    if isinstance(first, str) and isinstance(second, str):
        if bodies.is_lines(kind):
            return is_same_json(json.parse_lines(first)[0], json.parse_lines(second)[0])
        if kind == bodies.EVENTS:
            return is_same_json(_parse_event_values(first), _parse_event_values(second))
    return is_same_json(json.parse(first), json.parse(second)) if bodies.is_json(kind) else first == second


def _parse_event_values(text: str) -> list[Any]:
    return [[json.parse(event.data) if event.data else None, *event.others] for event in event_stream.parse(text)]


def is_same_json(first: Any, second: Any) -> bool:
    """Return whether two JSON values are equal; 1 and 1.0 are, 1 and true are not."""
    if type(first) is dict and type(second) is dict:
        return first.keys() == second.keys() and all(is_same_json(value, second[name]) for name, value in first.items())
    if type(first) is list and type(second) is list:
        return len(first) == len(second) and all(map(is_same_json, first, second))
    return bool(first == second) and (type(first) is bool) == (type(second) is bool)
