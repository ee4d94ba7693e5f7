"""The HTTP gate: what `google.api.http` says in the compiled protos, held against the paths and methods of the API.

Each HTTP form of each rpc stands there exactly once, with its own path, body and answer; what it names exists and is of
a kind that gateways take; no two rpcs take the same requests. The forms are listed by the spec's own operations, so a
mistake anywhere between these and the protos shows here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from google.api import annotations_pb2
from google.api.http_pb2 import HttpRule
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    FieldDescriptorProto,
    FileDescriptorSet,
    MethodDescriptorProto,
)

from pipeline.model.contract import Contract, HttpBinding, JsonForm, JsonRole, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Place

HINT = "build again; never edit the protos by hand"
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_WITHOUT_BODY = {"GET", "HEAD"}


@dataclass(frozen=True, slots=True)
class _Form:
    """One HTTP form as compiled: what `HttpRule` says, its path with the API's own names, and faults of its fields."""

    method: str
    template: str
    path: str
    body: str
    response_body: str


def check_http(descriptors: FileDescriptorSet, contract: Contract, *, wanted: bool) -> list[Diagnostic]:
    """Everything in which the compiled annotations and the API differ.

    Args:
        descriptors: compiled, the contract's own files alone.
        contract: with the HTTP forms of each rpc.
        wanted: whether the profile wants annotations; else there may be none.
    """
    methods = {
        f"{service.name}/{method.name}": method
        for file in descriptors.file
        for service in file.service
        for method in service.method
    }
    messages = {f".{file.package}.{item.name}": item for file in descriptors.file for item in file.message_type}
    diagnostics: list[Diagnostic] = []
    routes: dict[tuple[str, str], tuple[str, str]] = {}
    for rpc in contract.rpcs:
        name = f"{rpc.service}/{rpc.name}"
        if name not in methods:
            continue
        check = _Check(rpc, contract, methods[name], messages)
        diagnostics += check.diagnostics(wanted)
        for form in check.forms():
            owner = routes.setdefault((form.method, _VARIABLE.sub("{}", form.template)), (name, form.template))
            if owner != (name, form.template):
                told = f"`{form.method} {form.template}` of `{name}` is `{owner[1]}` of `{owner[0]}`, too"
                diagnostics.append(_diagnostic("route", told, name))
    return sorted(set(diagnostics))


def rules_of(method: MethodDescriptorProto) -> list[HttpRule]:
    """The rules of a method: the main one, then its additional bindings; empty where it has no annotation."""
    if not method.options.HasExtension(annotations_pb2.http):
        return []
    main = method.options.Extensions[annotations_pb2.http]
    return [main, *main.additional_bindings]


def verb_and_template(rule: HttpRule) -> tuple[str, str]:
    """The HTTP method and the path template of a rule; both empty where it has none."""
    kind = rule.WhichOneof("pattern")
    if kind == "custom":
        return rule.custom.kind, rule.custom.path
    return (kind.upper(), getattr(rule, kind)) if kind else ("", "")


def _diagnostic(what: str, message: str, name: str) -> Diagnostic:
    return Diagnostic(f"http/{what}", message, Place(pointer=name), HINT)


@dataclass(frozen=True, slots=True)
class _Check:
    """The check of one rpc."""

    rpc: Rpc
    contract: Contract
    method: MethodDescriptorProto
    messages: dict[str, DescriptorProto]

    @property
    def name(self) -> str:
        return f"{self.rpc.service}/{self.rpc.name}"

    def forms(self) -> Iterator[_Form]:
        """The forms as compiled."""
        names = {item.name: item.json_name for item in self._contracted(self.rpc.request).fields}
        for rule in rules_of(self.method):
            verb, template = verb_and_template(rule)
            parts = _VARIABLE.split(template)
            parts[1::2] = (f"{{{names.get(part, '')}}}" for part in parts[1::2])
            yield _Form(verb, template, unquote("".join(parts)), rule.body, rule.response_body)

    def diagnostics(self, wanted: bool) -> Iterator[Diagnostic]:
        """What is wrong with it."""
        expected = Counter((form.method, unquote(form.path)) for form in self.rpc.bindings) if wanted else Counter()
        expected -= Counter((method, unquote(path)) for method, path in self.rpc.left_out)
        found = Counter((form.method, form.path) for form in self.forms())
        for method, path in sorted(expected - found):
            yield _diagnostic("form", f"`{method} {path}` is not in the annotation of `{self.name}`", self.name)
        for method, path in sorted(found - expected):
            yield _diagnostic("form", f"`{method} {path}` is no form of `{self.name}`, or is there twice", self.name)
        by_key = {(form.method, unquote(form.path)): form for form in self.rpc.bindings}
        for form in self.forms():
            yield from self._path(form)
            spec = by_key.get((form.method, form.path))
            if spec is not None:
                yield from self._body(form, spec)
                yield from self._response_body(form, spec)

    def _path(self, form: _Form) -> Iterator[Diagnostic]:
        fields = {item.name: item for item in self._compiled(self.method.input_type).field}
        for name in _VARIABLE.findall(form.template):
            item = fields.get(name)
            if item is None:
                yield _diagnostic("field", f"`{form.template}`: the request has no field `{name}`", self.name)
            elif item.type == FieldDescriptorProto.TYPE_MESSAGE:
                yield _diagnostic("field", f"`{form.template}`: the field `{name}` is a message or a map", self.name)
            elif item.HasField("oneof_index") and not item.proto3_optional:
                yield _diagnostic("field", f"`{form.template}`: the field `{name}` stands in a oneof", self.name)

    def _body(self, form: _Form, spec: HttpBinding) -> Iterator[Diagnostic]:
        request = self._contracted(self.rpc.request)
        has_body = bool(spec.request_types) and spec.method not in _WITHOUT_BODY
        carriers = _carriers(request, JsonRole.BODY, spec) if has_body else []
        if has_body and not carriers and any("inline-body" in item.rules for item in request.fields):
            carriers = ["*"]
        yield from self._carried("body", form, form.body, carriers, self.method.input_type)

    def _response_body(self, form: _Form, spec: HttpBinding) -> Iterator[Diagnostic]:
        response = self._contracted(self.rpc.response)
        has_body = response.form is JsonForm.RESPONSE and spec.method != "HEAD"
        carriers = _carriers(response, JsonRole.CONTENT, spec) if has_body else []
        yield from self._carried("response_body", form, form.response_body, carriers, self.method.output_type)

    def _carried(self, option: str, form: _Form, given: str, carriers: list[str], kind: str) -> Iterator[Diagnostic]:
        """Whether an option names the one field that carries the body, a field that the compiled message has."""
        wanted = carriers[0] if len(carriers) == 1 else ""
        if given != wanted:
            told = f"`{form.method} {form.path}`: `{option}` is {_or_none(given)}, expected {_or_none(wanted)}"
            yield _diagnostic(option.replace("_", "-"), told, self.name)
        elif given not in {"", "*", *(item.name for item in self._compiled(kind).field)}:
            told = f"`{form.method} {form.path}`: `{option}` names `{given}`, which `{kind[1:]}` does not have"
            yield _diagnostic(option.replace("_", "-"), told, self.name)

    def _contracted(self, name: str) -> Message:
        return self.contract.messages[name]

    def _compiled(self, name: str) -> DescriptorProto:
        return self.messages.get(name, DescriptorProto())


def _or_none(name: str) -> str:
    return f"`{name}`" if name else "missing"


def _carriers(message: Message, role: JsonRole, form: HttpBinding) -> list[str]:
    """The fields of a message that carry a body of one form."""
    return [
        item.name
        for item in message.fields
        if item.role is role and any((body.method, body.path) == (form.method, form.path) for body in item.carried)
    ]
