"""Describe the HTTP forms of an operation, and how each becomes a call of its rpc."""

from __future__ import annotations

from typing import NamedTuple


class CarriedBody(NamedTuple):
    """A body that a field carries: its HTTP form, status (empty for a request) and media type."""

    method: str
    path: str
    status: str
    media_type: str


class HttpBinding(NamedTuple):
    """One HTTP form of an operation.

    Attributes:
        method: the method in capitals.
        path: the path template, with the names of the API's parameters.
        request_types: the media types of its body.
        responses: status and media type of each response; an empty media type if it has no body.
        is_superseded: whether another form is the newer way to call the same operation.
    """

    method: str
    path: str
    request_types: tuple[str, ...] = ()
    responses: tuple[tuple[str, str], ...] = ()
    is_superseded: bool = False


class HttpRule(NamedTuple):
    """The call of an rpc through one HTTP form, in the terms of `google.api.HttpRule`.

    Attributes:
        method: the method in capitals.
        template: the path template, with the names of request fields as variables.
        body: the request field that is the body; `*` for the request itself, empty for none.
        response_body: the response field that is the body; empty for the response itself.
    """

    method: str
    template: str
    body: str = ""
    response_body: str = ""
