"""HTTP rules: how the HTTP forms of an rpc stand in `google.api.http`. One owner.

Computed from the numbered contract, as the lock may give a field another name than the spec. The main rule is the form
that takes a body, else any; among these the one with the fewest parameters in its path, then the first by path and
method; the others are additional bindings in the same order. What the annotation cannot express is left out of it, with
a note. Superseded forms come last. Sources: `HttpRule` in google/api/http.proto; AIP-127 (HTTP and gRPC transcoding).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from pipeline.model.contract import Contract, Field, JsonForm, JsonRole, Label, Message, Rpc
from pipeline.model.diagnostics import NOWHERE, Diagnostic, Place, Severity
from pipeline.model.http_forms import HttpBinding, HttpRule
from pipeline.model.rule import Rule
from pipeline.model.source import FieldSource
from preprocess.http.path_templates import fault, route, template, variables

RULE_HTTP = Rule("http-rules")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE")
_WITHOUT_BODY = {"GET", "HEAD"}
_CALL = "call the rpc itself over gRPC"


def annotate_rpcs(contract: Contract) -> tuple[Contract, list[Diagnostic]]:
    """The contract with the HTTP rules of its rpcs, and a note for each thing that these cannot express.

    Args:
        contract: numbered.
    """
    rules = _Rules(contract)
    made = {
        (rpc.service, rpc.name): rules.of(rpc)
        for rpc in sorted(contract.rpcs, key=lambda rpc: (rpc.server_streaming, rpc.service, rpc.name))
    }
    rpcs = tuple(made[rpc.service, rpc.name] for rpc in contract.rpcs)
    diagnostics = rules.diagnostics + [note for rpc in rpcs if rpc.http for note in _query_notes(rpc, contract)]
    return replace(contract, rpcs=rpcs), sorted({*diagnostics, *_without_forms(rpcs)})


def _without_forms(rpcs: tuple[Rpc, ...]) -> Iterator[Diagnostic]:
    """A warning where the lock alone knows of a live rpc, as in a build of a part of the groups."""
    count = sum(not rpc.bindings and not rpc.deprecated for rpc in rpcs)
    if count:
        message = f"{count} of {len(rpcs)} rpcs lose their HTTP forms, as this build reads a part of the API only"
        yield Diagnostic("http/partial", message, hint="build the whole before publishing", severity=Severity.WARNING)


def _note(code: str, message: str, place: Place, hint: str) -> Diagnostic:
    return Diagnostic(code, message, place, hint, Severity.NOTE)


def parameters(request: Message) -> dict[str, Field]:
    """The field of each parameter that may stand in a path, by the parameter's name."""
    found = (item for item in request.fields if item.role is JsonRole.PARAMETER)
    return {item.json_name: item for item in found if item.source == FieldSource.for_parameter(item.json_name)}


def path_fault(item: Field | None, contract: Contract) -> str:
    """Why a field cannot be given by a path; empty where it can: a scalar, an enum, or a list of such."""
    if item is None:
        return "has no field"
    if item.oneof is not None:
        return f"stands in the oneof `{item.oneof}`"
    if item.label is Label.MAP:
        return "is a map"
    return "" if item.is_scalar or item.type in contract.enums else f"is a message, `{item.type}`"


@dataclass(slots=True)
class _Rules:
    """Makes the rules of all rpcs, and remembers which routes are taken."""

    contract: Contract
    diagnostics: list[Diagnostic] = field(default_factory=list)
    taken: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def of(self, rpc: Rpc) -> Rpc:
        """The rpc with the rules of its forms."""
        made: list[tuple[bool, HttpRule]] = []
        unmapped_forms: list[tuple[str, str]] = []
        for form, place in zip(rpc.bindings, rpc.places, strict=True):
            rule = self._rule(rpc, form, place)
            if rule is None:
                unmapped_forms.append((form.method, form.path))
            else:
                made.append((form.is_superseded, rule))
        rules = tuple(sorted({*rpc.rules, RULE_HTTP})) if made else rpc.rules
        return rpc._replace(
            http=tuple(rule for _, rule in sorted(made, key=_rank)), unmapped_forms=tuple(unmapped_forms), rules=rules
        )

    def _rule(self, rpc: Rpc, form: HttpBinding, place: Place) -> HttpRule | None:
        told = f"`{form.method} {form.path}`"
        if why := fault(form.path):
            self.diagnostics.append(
                _note("http/path", f"{told} cannot stand in `google.api.http`: {why}", place, _CALL)
            )
            return None
        fields = parameters(self.contract.messages[rpc.request])
        for name in variables(form.path):
            if why := path_fault(fields.get(name), self.contract):
                message = f"{told} cannot stand in `google.api.http`: the parameter `{name}` {why}"
                self.diagnostics.append(_note("http/path-parameter", message, place, _CALL))
                return None
        path = template(form.path, {name: item.name for name, item in fields.items()})
        own = (f"{rpc.service}/{rpc.name}", form.path)
        owner = self.taken.setdefault((form.method, route(path)), own)
        if owner != own:
            message = f"{told} cannot be `{own[0]}`: gateways take it for `{owner[1]}`, which is `{owner[0]}`"
            self.diagnostics.append(_note("http/path-twice", message, place, _CALL))
            return None
        return HttpRule(form.method, path, self._body(rpc, form, place), self._response_body(rpc, form, place))

    def _body(self, rpc: Rpc, form: HttpBinding, place: Place) -> str:
        """The field for the body of a form, `*` where the request itself is the body; empty for none."""
        if not form.request_types:
            return ""
        told = f"`{form.method} {form.path}`"
        if form.method in _WITHOUT_BODY:
            hint = "send the body with another method, or call the rpc itself over gRPC"
            message = f"the body of {told} is not in `google.api.http`, which has none for {form.method}"
            self.diagnostics.append(_note("http/body-of-get", message, place, hint))
            return ""
        request = self.contract.messages[rpc.request]
        found = list(dict.fromkeys(request.map_bodies(JsonRole.BODY, form).values()))
        if not found and request.has_inline_body:
            return "*"
        return self._only(found, f"the body of {told}", "body", place)

    def _response_body(self, rpc: Rpc, form: HttpBinding, place: Place) -> str:
        """The field for the answer of a form; empty where the response itself is the answer, or it has no body."""
        response = self.contract.messages[rpc.response]
        if response.form is not JsonForm.RESPONSE or form.method == "HEAD":
            return ""
        found = list(dict.fromkeys(response.map_bodies(JsonRole.CONTENT, form).values()))
        return self._only(found, f"the answer of `{form.method} {form.path}`", "response_body", place)

    def _only(self, found: list[str], told: str, option: str, place: Place) -> str:
        if len(found) > 1:
            listed = ", ".join(f"`{name}`" for name in found)
            message = f"{told} is one of {listed}, so that it has no `{option}`"
            self.diagnostics.append(_note("http/several-bodies", message, place, _CALL))
        return found[0] if len(found) == 1 else ""


def _rank(made: tuple[bool, HttpRule]) -> tuple[bool, bool, int, str, int]:
    superseded, rule = made
    return superseded, not rule.body, len(variables(rule.template)), rule.template, _METHODS.index(rule.method)


def _query_notes(rpc: Rpc, contract: Contract) -> Iterator[Diagnostic]:
    """What gateways cannot take from a query under the name that the API has for it."""
    in_paths = {name for form in rpc.bindings for name in variables(form.path)}
    hint = "send the parameter under the name that the note gives, or call the rpc itself over gRPC"
    for item in contract.messages[rpc.request].fields:
        place = item.places[0] if item.places else NOWHERE
        if item.role is JsonRole.GLOBAL:
            shared = contract.messages[item.type]
            message = f"a gateway takes the global parameters as `{item.name}.…` in a query"
            yield _note("http/query-parameter", message, shared.place, hint)
        if item.role is not JsonRole.PARAMETER or item.json_name in in_paths or item.encoding.is_header:
            continue
        if not item.is_scalar and item.type not in contract.enums:
            message = f"a gateway takes the parameter `{item.json_name}` in a query as `{item.name}.…`: it is a message"
            yield _note("http/query-parameter", message, place, hint)
        elif "." in item.json_name:
            message = f"a gateway takes the parameter `{item.json_name}` in a query as `{item.name}`"
            yield _note("http/query-parameter", message, place, hint)
