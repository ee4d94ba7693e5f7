"""The rpcs of a binding: which HTTP form a request has, and which field carries a body.

Only this module reads `rpcs` of the binding. A request or path that fits no form, or is no UTF-8, raises `CodecError`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from spec2proto_codec.errors import CodecError
from spec2proto_codec.http import bodies
from spec2proto_codec.plans.build import Plans
from spec2proto_codec.plans.types import FieldPlan, Label, MessagePlan

_VARIABLE = re.compile(r"\{([^{}]+)\}")


def strip_parameters(media_type: str | None) -> str:
    """Return a media type without its parameters, in lower case (RFC 9110, section 8.3.1)."""
    return (media_type or "").partition(";")[0].strip().lower()


@dataclass(frozen=True)
class Form:
    """One HTTP form of an rpc: a method and a path template."""

    method: str  # In capitals.
    template: str  # The path template, with the parameter names of the API.
    request_types: tuple[str, ...]  # The media types of the request body.
    body: dict[str, str]  # The request field that carries the body, by media type, if there are several.
    responses: tuple[tuple[str, str, str], ...]  # Status, media type and response field; empty if none has the body.

    @cached_property
    def path_parameters(self) -> tuple[str, ...]:
        """The names of the parameters in the path template."""
        return tuple(_VARIABLE.findall(self.template))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        pieces = _VARIABLE.split(self.template.rstrip("/"))
        text = "".join("([^/]+)" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces))
        return re.compile(text + "/?")

    def match_path(self, path: str) -> dict[str, str] | None:
        """Return the decoded parameters of a path; None if it does not match the template (RFC 3986, section 2.1)."""
        match = self._pattern.fullmatch(path.rstrip("/") or "")
        if match is None:
            return None
        try:
            values = [unquote(value, errors="strict") for value in match.groups()]
        except UnicodeDecodeError:
            raise CodecError("the path is no UTF-8") from None
        return dict(zip(self.path_parameters, values, strict=True))


class Rpc:
    """One rpc with its messages and its HTTP forms.

    Attributes:
        name: `Service/Rpc`.
        group: the operation group.
        request: the plan of the request message.
        response: the plan of the response message.
        streaming: whether the response is a stream of messages.
        forms: the HTTP forms, the first declared one first.
    """

    def __init__(self, name: str, entry: dict[str, Any], plans: Plans) -> None:
        self.name = name
        self.group = str(entry["group"])
        self.request: MessagePlan = plans.get_plan(entry["request"])
        self.response: MessagePlan = plans.get_plan(entry["response"])
        self.streaming = bool(entry["server_streaming"])
        self.forms = [_parse_form(form) for form in entry["http"]]

    def match(self, method: str, path: str) -> tuple[Form, dict[str, str]]:
        """Return the form of a request, and the parameters in its path; raise `CodecError` if no form matches.

        If several forms match, the one with the fewest parameters wins. Of these the first wins whose parameters have
        values that the contract declares.
        """
        matches = [
            (len(form.path_parameters), not self._has_declared_values(variables), at, form, variables)
            for at, form in enumerate(self.forms)
            if form.method == method and (variables := form.match_path(path)) is not None
        ]
        if not matches:
            raise CodecError(f"`{method} {path}` is no form of `{self.group}`")
        *_, form, variables = min(matches, key=lambda match: match[:3])
        return form, variables

    def _has_declared_values(self, variables: dict[str, str]) -> bool:
        """Return whether each parameter of an enum has a value of that enum; a list has several, split by commas."""
        for name, text in variables.items():
            item = next(iter(self.request.parameters.get(name, ())), None)
            if item is not None and item.kind == "enum":
                parts = text.split(",") if item.label is Label.LIST else [text]
                if not item.texts.numbers.keys() >= set(parts):
                    return False
        return True

    def find_form(self, name: str) -> Form:
        """Return the form whose method and path template are `name`, such as `GET /{index}/_doc/{id}`."""
        for form in self.forms:
            if f"{form.method} {form.template}" == name:
                return form
        raise CodecError(f"`{name}` is no form of `{self.group}`")

    def choose_form(self, parameters: Iterable[str], *, body: bool) -> Form:
        """Return the form of a request without a note that names another form; raise `CodecError` if none is complete.

        It is the form with the most path parameters, all of which the request has. Of several such forms, one that
        takes a body wins if there is a body, and one that takes none otherwise; then the first wins.
        """
        names = set(parameters)
        ranks = [
            (-len(form.path_parameters), bool(form.request_types) != body, at)
            for at, form in enumerate(self.forms)
            if names.issuperset(form.path_parameters)
        ]
        if not ranks:
            raise CodecError(f"no form of `{self.group}` has only the given parameters in its path")
        return self.forms[min(ranks)[2]]

    def find_body_field(self, form: Form, media_type: str) -> FieldPlan | None:
        """Return the field that carries a request body; None if the request itself does, or there is no body."""
        name = form.body.get(media_type) or next(iter(form.body.values()), None)
        fields = [item for item in self.request.fields.values() if item.role == "body"]
        return next((item for item in fields if name is None or item.name == name), None)

    def find_response(self, form: Form, status: int, media_type: str) -> tuple[str, str, FieldPlan | None] | None:
        """Return declared status, declared media type and field of a response; None if the contract has no such one."""
        for declared, kind, name in form.responses:
            if _is_status(declared, status) and strip_parameters(kind) == media_type and (name or not kind):
                return declared, kind, next((item for item in self.response.fields.values() if item.name == name), None)
        is_body = self.response.form != "response"
        for declared, kind, _ in form.responses if is_body else ():
            if declared.startswith("2") and _is_status(declared, status) and strip_parameters(kind) == media_type:
                return declared, kind, None
        return None

    def get_default_response(self, item: FieldPlan | None) -> tuple[str, str]:
        """Return status and media type of a response in a field without notes; JSON wins over other media types."""
        declarations = [
            (declared, not bodies.is_json(strip_parameters(kind)), kind)
            for form in self.forms
            for declared, kind, name in form.responses
            if declared.startswith("2") and (item is None or name == item.name)
        ]
        declared, _, kind = min(declarations, default=("200", True, ""))
        return declared, kind


def _is_status(declared: str, status: int) -> bool:
    return declared in {str(status), f"{status // 100}XX", "default"}


def _parse_form(entry: dict[str, Any]) -> Form:
    responses = tuple((item["status"], item["type"], item.get("field", "")) for item in entry["responses"])
    return Form(entry["method"], entry["path"], tuple(entry["request"]), dict(entry.get("body", {})), responses)
