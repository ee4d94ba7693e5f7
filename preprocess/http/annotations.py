"""Add the HTTP forms of each rpc to the contract as `google.api.http` rules.

The rules need the numbered contract, because the lock may give a field another name than the specification. The main
rule is a form with a body, if there is one. Among several, the one with the fewest path parameters comes first, then
the first by path and method. The other forms are additional bindings in the same order; superseded forms come last. A
form that the annotation cannot express is left out, with a note. In a path template a variable names a request field
and stands for a whole segment. A segment is never empty, and `*` is a wildcard. Sources: `HttpRule` in
google/api/http.proto, with its path template syntax; AIP-127 (HTTP and gRPC transcoding); RFC 3986, section 3.3;
OpenAPI 3.1.0, section 4.8.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from pipeline.model.contract import Contract, Field, HttpBinding, HttpRule, JsonForm, JsonRole, Label, Rpc, Rule
from pipeline.model.diagnostics import NOWHERE, Diagnostic, Place, Severity
from pipeline.model.source import FieldSource

RULE_HTTP = Rule("http-rules")
_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE")
_WITHOUT_BODY = {"GET", "HEAD"}
_CALL = "call the rpc itself over gRPC"
VARIABLE = re.compile(r"\{([^{}]*)\}")
_WHOLE = re.compile(r"\{([^{}]*)\}(:[^{}]+)?")
_LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_SEGMENT = "!$&'()*+,;=:@%"


def annotate_rpcs(contract: Contract) -> tuple[Contract, list[Diagnostic]]:
    """Return the contract with the HTTP rules of its rpcs, and a note for each part that the rules cannot express."""
    rules = _RuleBuilder(contract)
    annotated = {
        (rpc.service, rpc.name): rules.annotate(rpc)
        for rpc in sorted(contract.rpcs, key=lambda rpc: (rpc.server_streaming, rpc.service, rpc.name))
    }
    rpcs = tuple(annotated[rpc.service, rpc.name] for rpc in contract.rpcs)
    query_notes = [note for rpc in rpcs if rpc.http for note in _note_query_parameters(rpc, contract)]
    return replace(contract, rpcs=rpcs), sorted({*rules.diagnostics, *query_notes, *_warn_missing_forms(rpcs)})


def _warn_missing_forms(rpcs: tuple[Rpc, ...]) -> Iterator[Diagnostic]:
    """Warn of live rpcs without HTTP forms: a build of some operation groups knows the others from the lock alone."""
    count = sum(not rpc.bindings and not rpc.deprecated for rpc in rpcs)
    if count:
        message = f"{count} of {len(rpcs)} rpcs lose their HTTP forms, as this build reads a part of the API only"
        yield Diagnostic("http/partial", message, hint="build the whole before publishing", severity=Severity.WARNING)


def _note(code: str, message: str, place: Place, hint: str) -> Diagnostic:
    return Diagnostic(code, message, place, hint, Severity.NOTE)


def map_parameters(fields: Iterable[Field]) -> dict[str, Field]:
    """Return the fields of a request that can be path parameters, by the name of the parameter."""
    parameters = (item for item in fields if item.role is JsonRole.PARAMETER)
    return {item.json_name: item for item in parameters if item.source == FieldSource.for_parameter(item.json_name)}


def explain_parameter_fault(item: Field | None, contract: Contract) -> str:
    """Return why a field cannot be a path variable; empty for a scalar, an enum, or a list of these."""
    if item is None:
        return "has no field"
    if item.oneof is not None:
        return f"stands in the oneof `{item.oneof}`"
    if item.label is Label.MAP:
        return "is a map"
    return "" if item.is_scalar or item.type in contract.enums else f"is a message, `{item.type}`"


@dataclass(slots=True)
class _RuleBuilder:
    """Builds the rules of all rpcs.

    Attributes:
        taken: the rpc and the path that have each method and route; gateways match the first of two equal routes.
    """

    contract: Contract
    diagnostics: list[Diagnostic] = field(default_factory=list)
    taken: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def annotate(self, rpc: Rpc) -> Rpc:
        """Return the rpc with the rules of its forms."""
        built: list[tuple[bool, HttpRule]] = []
        unmapped_forms: list[tuple[str, str]] = []
        for form, place in zip(rpc.bindings, rpc.places, strict=True):
            rule = self._build_rule(rpc, form, place)
            if rule is None:
                unmapped_forms.append((form.method, form.path))
            else:
                built.append((form.is_superseded, rule))
        rules = tuple(sorted({*rpc.rules, RULE_HTTP})) if built else rpc.rules
        return rpc._replace(
            http=tuple(rule for _, rule in sorted(built, key=_rank_rule)),
            unmapped_forms=tuple(unmapped_forms),
            rules=rules,
        )

    def _build_rule(self, rpc: Rpc, form: HttpBinding, place: Place) -> HttpRule | None:
        operation = f"`{form.method} {form.path}`"
        if why := explain_path_fault(form.path):
            self.diagnostics.append(
                _note("http/path", f"{operation} cannot stand in `google.api.http`: {why}", place, _CALL)
            )
            return None
        fields = map_parameters(self.contract.messages[rpc.request].fields)
        for name in list_variables(form.path):
            if why := explain_parameter_fault(fields.get(name), self.contract):
                message = f"{operation} cannot stand in `google.api.http`: the parameter `{name}` {why}"
                self.diagnostics.append(_note("http/path-parameter", message, place, _CALL))
                return None
        path = format_template(form.path, {name: item.name for name, item in fields.items()})
        candidate = (f"{rpc.service}/{rpc.name}", form.path)
        owner = self.taken.setdefault((form.method, normalize_route(path)), candidate)
        if owner != candidate:
            message = (
                f"{operation} cannot be `{candidate[0]}`: gateways match it as `{owner[1]}`, which is `{owner[0]}`"
            )
            self.diagnostics.append(_note("http/path-twice", message, place, _CALL))
            return None
        body, response_body = self._find_body(rpc, form, place), self._find_response_body(rpc, form, place)
        return HttpRule(form.method, path, body, response_body)

    def _find_body(self, rpc: Rpc, form: HttpBinding, place: Place) -> str:
        """Return the field with the body of a form; `*` if the request itself is the body, empty if there is none."""
        if not form.request_types:
            return ""
        operation = f"`{form.method} {form.path}`"
        if form.method in _WITHOUT_BODY:
            hint = "send the body with another method, or call the rpc itself over gRPC"
            message = f"the body of {operation} is not in `google.api.http`, which has none for {form.method}"
            self.diagnostics.append(_note("http/body-of-get", message, place, hint))
            return ""
        request = self.contract.messages[rpc.request]
        fields = list(dict.fromkeys(request.map_bodies(JsonRole.BODY, form).values()))
        if not fields and request.has_inline_body:
            return "*"
        return self._take_single(fields, f"the body of {operation}", "body", place)

    def _find_response_body(self, rpc: Rpc, form: HttpBinding, place: Place) -> str:
        """Return the field with the body of a response; empty if the message itself is that body, or there is none."""
        response = self.contract.messages[rpc.response]
        if response.form is not JsonForm.RESPONSE or form.method == "HEAD":
            return ""
        fields = list(dict.fromkeys(response.map_bodies(JsonRole.CONTENT, form).values()))
        return self._take_single(fields, f"the response of `{form.method} {form.path}`", "response_body", place)

    def _take_single(self, fields: list[str], subject: str, option: str, place: Place) -> str:
        if len(fields) > 1:
            names = ", ".join(f"`{name}`" for name in fields)
            message = f"{subject} is one of {names}, so that it has no `{option}`"
            self.diagnostics.append(_note("http/several-bodies", message, place, _CALL))
        return fields[0] if len(fields) == 1 else ""


def _rank_rule(built: tuple[bool, HttpRule]) -> tuple[bool, bool, int, str, int]:
    superseded, rule = built
    return superseded, not rule.body, len(list_variables(rule.template)), rule.template, _METHODS.index(rule.method)


def _note_query_parameters(rpc: Rpc, contract: Contract) -> Iterator[Diagnostic]:
    """Yield a note for each parameter that gateways do not accept in a query under its name in the API."""
    in_paths = {name for form in rpc.bindings for name in list_variables(form.path)}
    hint = "send the parameter under the name that the note gives, or call the rpc itself over gRPC"
    for item in contract.messages[rpc.request].fields:
        place = item.places[0] if item.places else NOWHERE
        if item.role is JsonRole.GLOBAL:
            shared = contract.messages[item.type]
            message = f"a gateway accepts the global parameters as `{item.name}.…` in a query"
            yield _note("http/query-parameter", message, shared.place, hint)
        if item.role is not JsonRole.PARAMETER or item.json_name in in_paths or item.encoding.is_header:
            continue
        if not item.is_scalar and item.type not in contract.enums:
            name = item.json_name
            message = f"a gateway accepts the parameter `{name}` in a query as `{item.name}.…`: it is a message"
            yield _note("http/query-parameter", message, place, hint)
        elif "." in item.json_name:
            message = f"a gateway accepts the parameter `{item.json_name}` in a query as `{item.name}`"
            yield _note("http/query-parameter", message, place, hint)


def list_variables(path: str) -> list[str]:
    """Return the parameters of a path, in their order."""
    return VARIABLE.findall(path)


def explain_path_fault(path: str) -> str:
    """Return why no path template can express a path; empty if one can."""
    if not path.startswith("/"):
        return "it does not begin with `/`"
    if set(path) & {"?", "#"}:
        return "a query or a fragment is no part of a path"
    *inner, last = path[1:].split("/")
    faults = [_explain_segment_fault(segment, last=False) for segment in inner]
    faults.append(_explain_segment_fault(last, last=True))
    return next(filter(None, faults), "") if path != "/" else ""


def _explain_segment_fault(segment: str, *, last: bool) -> str:
    """Return why a path template cannot have a segment; only the last may have a verb, as in `{id}:renew`."""
    variable = _WHOLE.fullmatch(segment)
    if not segment:
        return "a segment of it is empty"
    if segment in {"*", "**"}:
        return f"a segment `{segment}` would be a wildcard"
    if set(segment) & {"{", "}"} and (variable is None or (variable[2] and not last)):
        return f"the variable in `{segment}` is only a part of its segment"
    return ""


def format_template(path: str, fields: Mapping[str, str]) -> str:
    """Translate a path without faults to a path template; `fields` are the field names by parameter."""
    parts = VARIABLE.split(path)
    for index, segment in enumerate(parts):
        parts[index] = (
            f"{{{fields[segment]}}}" if index % 2 else quote(_LONE_PERCENT.sub("%25", segment), safe=f"/{_SEGMENT}")
        )
    return "".join(parts)


def normalize_route(template: str) -> str:
    """Return the template without the names of its variables; templates with the same route match the same requests."""
    return VARIABLE.sub("{}", template)
