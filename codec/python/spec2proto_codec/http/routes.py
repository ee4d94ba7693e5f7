"""Rpcs: which HTTP form a request has, and which field carries a body. Nothing else reads `rpcs` of the binding."""

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
    """A media type without its parameters, in lower case (RFC 9110, section 8.3.1)."""
    return (media_type or "").partition(";")[0].strip().lower()


@dataclass(frozen=True)
class Form:
    """One HTTP form of an rpc.

    Attributes:
        method: in capitals.
        template: the path, with the parameters as the API names them.
        request_types: the media types of its body.
        body: field of the request by media type, where there are several.
        responses: status, media type, and the field of the response that carries it, empty where none does.
    """

    method: str
    template: str
    request_types: tuple[str, ...]
    body: dict[str, str]
    responses: tuple[tuple[str, str, str], ...]

    @cached_property
    def path_parameters(self) -> tuple[str, ...]:
        """The parameters in its path."""
        return tuple(_VARIABLE.findall(self.template))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = _VARIABLE.split(self.template.rstrip("/"))
        text = "".join("([^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
        return re.compile(text + "/?")

    def match_path(self, path: str) -> dict[str, str] | None:
        """The parameters of a path, decoded; None where it is another path (RFC 3986, section 2.1).

        Raises:
            CodecError: when what is percent-encoded is no UTF-8.
        """
        found = self._pattern.fullmatch(path.rstrip("/") or "")
        if found is None:
            return None
        try:
            texts = [unquote(text, errors="strict") for text in found.groups()]
        except UnicodeDecodeError:
            raise CodecError("the path is no UTF-8") from None
        return dict(zip(self.path_parameters, texts, strict=True))


class Rpc:
    """One rpc with what its messages are and its HTTP forms."""

    def __init__(self, name: str, told: dict[str, Any], plans: Plans) -> None:
        """Read its entry in the binding.

        Args:
            name: `Service/Rpc`.
            told: the entry.
            plans: of all messages.
        """
        self.name = name
        self.group = str(told["group"])
        self.request: MessagePlan = plans.get_plan(told["request"])
        self.response: MessagePlan = plans.get_plan(told["response"])
        self.streaming = bool(told["server_streaming"])
        self.forms = [_form(item) for item in told["http"]]

    def match(self, method: str, path: str) -> tuple[Form, dict[str, str]]:
        """The form of a request, and the parameters in its path.

        Of several it is the one with the fewest parameters, and of these the first whose parameters are values of them.

        Raises:
            CodecError: when the rpc has no such form.
        """
        found = [
            (len(form.path_parameters), not self._fits(variables), at, form, variables)
            for at, form in enumerate(self.forms)
            if form.method == method and (variables := form.match_path(path)) is not None
        ]
        if not found:
            raise CodecError(f"`{method} {path}` is no form of `{self.group}`")
        best = min(found, key=lambda item: item[:3])
        return best[3], best[4]

    def _fits(self, variables: dict[str, str]) -> bool:
        """Whether each parameter whose values are listed has one of these, or several with commas between."""
        for name, text in variables.items():
            item = next(iter(self.request.parameters.get(name, ())), None)
            if item is not None and item.kind == "enum":
                parts = text.split(",") if item.label is Label.LIST else [text]
                if not item.texts.numbers.keys() >= set(parts):
                    return False
        return True

    def find_form(self, text: str) -> Form:
        """The form of that method and path template.

        Raises:
            CodecError: when the rpc has no such form.
        """
        for form in self.forms:
            if f"{form.method} {form.template}" == text:
                return form
        raise CodecError(f"`{text}` is no form of `{self.group}`")

    def choose_form(self, given: Iterable[str], *, body: bool) -> Form:
        """The form that a request has where nothing else is noted.

        It is the one with the most parameters in its path, all of which are given; of these one that takes a body where
        there is one, else one that takes none; and of these the first.

        Raises:
            CodecError: when no form has all its parameters.
        """
        names = set(given)
        found = [
            (-len(form.path_parameters), bool(form.request_types) != body, at) for at, form in enumerate(self.forms)
        ]
        fitting = [key for key in found if names.issuperset(self.forms[key[2]].path_parameters)]
        if not fitting:
            raise CodecError(f"no form of `{self.group}` has only the given parameters in its path")
        return self.forms[min(fitting)[2]]

    def find_body_field(self, form: Form, media_type: str) -> FieldPlan | None:
        """The field that carries a body; None where the request itself does, or none is taken."""
        named = form.body.get(media_type) or next(iter(form.body.values()), None)
        bodies = [item for item in self.request.fields.values() if item.role == "body"]
        for item in bodies:
            if named is None or item.name == named:
                return item
        return None

    def find_response(self, form: Form, status: int, media_type: str) -> tuple[str, str, FieldPlan | None] | None:
        """Status and type as declared, and the field, of an answer; None where the contract has no such answer."""
        for declared, kind, name in form.responses:
            if _is_status(declared, status) and strip_parameters(kind) == media_type and (name or not kind):
                return declared, kind, self._field(name)
        direct = self.response.form != "response"
        for declared, kind, _ in form.responses if direct else ():
            if declared.startswith("2") and _is_status(declared, status) and strip_parameters(kind) == media_type:
                return declared, kind, None
        return None

    def get_default_response(self, item: FieldPlan | None) -> tuple[str, str]:
        """The status and media type of an answer in a field where nothing else is noted: JSON before any other."""
        found = [
            (declared, not bodies.is_json(strip_parameters(kind)), kind)
            for form in self.forms
            for declared, kind, name in form.responses
            if declared.startswith("2") and (item is None or name == item.name)
        ]
        declared, _, kind = min(found, default=("200", True, ""))
        return declared, kind

    def _field(self, name: str) -> FieldPlan | None:
        return next((item for item in self.response.fields.values() if item.name == name), None) if name else None


def _is_status(declared: str, status: int) -> bool:
    return declared in {str(status), f"{status // 100}XX", "default"}


def _form(told: dict[str, Any]) -> Form:
    answers = tuple((item["status"], item["type"], item.get("field", "")) for item in told["responses"])
    return Form(told["method"], told["path"], tuple(told["request"]), dict(told.get("body", {})), answers)
