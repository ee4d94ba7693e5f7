"""The HTTP forms of an rpc as the canonical spec and the binding have them, with the fields that carry their bodies."""

from __future__ import annotations

from typing import Any

from pipeline.model.contract import Contract, HttpBinding, JsonRole, Message, Rpc


def carriers(message: Message, role: JsonRole, form: HttpBinding) -> dict[tuple[str, str], str]:
    """The fields of a request or response that carry the bodies of one form, by status and media type."""
    return {
        (body.status, body.media_type): item.name
        for item in message.fields
        if item.role is role
        for body in item.carried
        if (body.method, body.path) == (form.method, form.path)
    }


def forms_of(rpc: Rpc, contract: Contract) -> list[dict[str, Any]]:
    """Each HTTP form: method, path and media types; which field carries what, of a request where there are several."""
    request, response = contract.messages[rpc.request], contract.messages[rpc.response]
    return [_form(form, request, response) for form in rpc.bindings]


def _form(form: HttpBinding, request: Message, response: Message) -> dict[str, Any]:
    entry: dict[str, Any] = {"method": form.method, "path": form.path, "request": list(form.request_types)}
    bodies = carriers(request, JsonRole.BODY, form)
    if bodies and sum(item.role is JsonRole.BODY for item in request.fields) > 1:
        entry["body"] = {kind: name for (_, kind), name in bodies.items()}
    answers = carriers(response, JsonRole.CONTENT, form)
    entry["responses"] = [
        {"status": status, "type": kind} | ({"field": answers[status, kind]} if (status, kind) in answers else {})
        for status, kind in form.responses
    ]
    return entry
