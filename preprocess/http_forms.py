"""The HTTP forms of an rpc as the canonical spec and the binding have them, with the fields that carry their bodies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pipeline.model.contract import Contract, Field, HttpBinding, JsonRole, Message, Rpc
from pipeline.model.findings import Place


def carriers(message: Message, role: JsonRole, places: Iterable[Place]) -> list[str]:
    """The fields of a request or response that carry a body whose schema stands in one of several places."""
    wanted = set(places)
    return [item.name for item in _of_role(message, role) if wanted & set(item.places)]


def _of_role(message: Message, role: JsonRole) -> list[Field]:
    return [item for item in message.fields if item.role is role]


def forms_of(rpc: Rpc, contract: Contract) -> list[dict[str, Any]]:
    """Each HTTP form: method, path and media types; which field carries a body is told where there are several."""
    request, response = contract.messages[rpc.request], contract.messages[rpc.response]
    return [_form(form, request, response) for form in rpc.bindings]


def _form(form: HttpBinding, request: Message, response: Message) -> dict[str, Any]:
    entry: dict[str, Any] = {"method": form.method, "path": form.path, "request": list(form.request_types)}
    if len(_of_role(request, JsonRole.BODY)) > 1:
        pairs = zip(form.request_types, form.request_places, strict=True)
        found = {kind: name for kind, place in pairs for name in carriers(request, JsonRole.BODY, [place])}
        entry |= {"body": found} if found else {}
    several = len(_of_role(response, JsonRole.CONTENT)) > 1
    entry["responses"] = [
        {"status": status, "type": kind}
        | (
            {"field": name}
            if several and (name := next(iter(carriers(response, JsonRole.CONTENT, [place])), ""))
            else {}
        )
        for (status, kind), place in zip(form.responses, form.response_places, strict=True)
    ]
    return entry
