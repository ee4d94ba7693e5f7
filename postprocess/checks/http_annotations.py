"""Check the `google.api.http` annotations of the compiled protos against the paths and methods of the API.

Each HTTP form of an rpc must be annotated exactly once, with its path, body and response body. The fields that an
annotation names must exist and have a type that gateways support. No two rpcs may match the same requests. The check
reads the operations of the specification, so it finds an error in any step between these and the protos.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from google.api import annotations_pb2
from google.api.http_pb2 import HttpRule
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet, MethodDescriptorProto

from pipeline.model.contract import Contract, HttpBinding, JsonForm, JsonRole, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Place
from postprocess.tools.descriptors import iterate_methods

HINT = "build again; never edit the protos by hand"
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_METHODS_WITHOUT_BODY = {"GET", "HEAD"}


@dataclass(frozen=True, slots=True)
class _Form:
    """One compiled HTTP form; the template has field names as variables, the path the parameter names of the API."""

    method: str
    template: str
    path: str
    body: str
    response_body: str


def check_http(descriptors: FileDescriptorSet, contract: Contract, *, wanted: bool) -> list[Diagnostic]:
    """Return a diagnostic for each difference between the compiled annotations of the contract's own files and the API.

    There must be no annotations unless the profile wants them.
    """
    methods = dict(iterate_methods(descriptors.file))
    messages = {f".{file.package}.{item.name}": item for file in descriptors.file for item in file.message_type}
    diagnostics: list[Diagnostic] = []
    routes: dict[tuple[str, str], tuple[str, str]] = {}
    for rpc in contract.rpcs:
        name = f"{rpc.service}/{rpc.name}"
        if name not in methods:
            continue
        check = _RpcCheck(rpc, contract, methods[name], messages)
        diagnostics += check.check(wanted=wanted)
        for form in check.list_forms():
            owner = routes.setdefault((form.method, _VARIABLE.sub("{}", form.template)), (name, form.template))
            if owner != (name, form.template):
                message = f"`{form.method} {form.template}` of `{name}` is `{owner[1]}` of `{owner[0]}`, too"
                diagnostics.append(_create_diagnostic("route", message, name))
    return sorted(set(diagnostics))


def list_rules(method: MethodDescriptorProto) -> list[HttpRule]:
    """Return the HTTP rules of a method: the main rule, then its additional bindings; empty without an annotation."""
    if not method.options.HasExtension(annotations_pb2.http):
        return []
    main = method.options.Extensions[annotations_pb2.http]
    return [main, *main.additional_bindings]


def parse_pattern(rule: HttpRule) -> tuple[str, str]:
    """Return the HTTP method and the path template of a rule; both empty if the rule has none."""
    pattern = rule.WhichOneof("pattern")
    if pattern == "custom":
        return rule.custom.kind, rule.custom.path
    return (pattern.upper(), getattr(rule, pattern)) if pattern else ("", "")


def _create_diagnostic(aspect: str, message: str, rpc: str) -> Diagnostic:
    return Diagnostic(f"http/{aspect}", message, Place(pointer=rpc), HINT)


@dataclass(frozen=True, slots=True)
class _RpcCheck:
    rpc: Rpc
    contract: Contract
    method: MethodDescriptorProto
    messages: dict[str, DescriptorProto]

    @property
    def name(self) -> str:
        return f"{self.rpc.service}/{self.rpc.name}"

    def list_forms(self) -> Iterator[_Form]:
        names = {item.name: item.json_name for item in self.contract.messages[self.rpc.request].fields}
        for rule in list_rules(self.method):
            method, template = parse_pattern(rule)
            parts = _VARIABLE.split(template)
            parts[1::2] = (f"{{{names.get(name, '')}}}" for name in parts[1::2])
            yield _Form(method, template, unquote("".join(parts)), rule.body, rule.response_body)

    def check(self, *, wanted: bool) -> Iterator[Diagnostic]:
        expected = Counter((form.method, unquote(form.path)) for form in self.rpc.bindings) if wanted else Counter()
        expected -= Counter((method, unquote(path)) for method, path in self.rpc.unmapped_forms)
        compiled = Counter((form.method, form.path) for form in self.list_forms())
        for method, path in sorted(expected - compiled):
            message = f"`{method} {path}` is not in the annotation of `{self.name}`"
            yield _create_diagnostic("form", message, self.name)
        for method, path in sorted(compiled - expected):
            message = f"`{method} {path}` is no form of `{self.name}`, or is there twice"
            yield _create_diagnostic("form", message, self.name)
        bindings = {(form.method, unquote(form.path)): form for form in self.rpc.bindings}
        for form in self.list_forms():
            yield from self._check_path(form)
            binding = bindings.get((form.method, form.path))
            if binding is not None:
                yield from self._check_body(form, binding)
                yield from self._check_response_body(form, binding)

    def _check_path(self, form: _Form) -> Iterator[Diagnostic]:
        fields = {item.name: item for item in self._get_compiled(self.method.input_type).field}
        for name in _VARIABLE.findall(form.template):
            item = fields.get(name)
            if item is None:
                problem = f"the request has no field `{name}`"
            elif item.type == item.TYPE_MESSAGE:
                problem = f"the field `{name}` is a message or a map"
            elif item.HasField("oneof_index") and not item.proto3_optional:
                problem = f"the field `{name}` is a member of a oneof"
            else:
                continue
            yield _create_diagnostic("field", f"`{form.template}`: {problem}", self.name)

    def _check_body(self, form: _Form, binding: HttpBinding) -> Iterator[Diagnostic]:
        request = self.contract.messages[self.rpc.request]
        has_body = bool(binding.request_types) and binding.method not in _METHODS_WITHOUT_BODY
        fields = _list_body_fields(request, JsonRole.BODY, binding) if has_body else []
        if has_body and not fields and request.has_inline_body:
            fields = ["*"]
        yield from self._check_option("body", form, form.body, fields, self.method.input_type)

    def _check_response_body(self, form: _Form, binding: HttpBinding) -> Iterator[Diagnostic]:
        response = self.contract.messages[self.rpc.response]
        has_body = response.form is JsonForm.RESPONSE and binding.method != "HEAD"
        fields = _list_body_fields(response, JsonRole.CONTENT, binding) if has_body else []
        yield from self._check_option("response_body", form, form.response_body, fields, self.method.output_type)

    def _check_option(
        self, option: str, form: _Form, value: str, fields: list[str], message: str
    ) -> Iterator[Diagnostic]:
        """Yield a diagnostic unless the option `body` or `response_body` names the only field that holds the body."""
        expected = fields[0] if len(fields) == 1 else ""
        if value != expected:
            problem = f"`{option}` is {_quote(value)}, expected {_quote(expected)}"
        elif value not in {"", "*", *(item.name for item in self._get_compiled(message).field)}:
            problem = f"`{option}` names `{value}`, which `{message[1:]}` does not have"
        else:
            return
        yield _create_diagnostic(option.replace("_", "-"), f"`{form.method} {form.path}`: {problem}", self.name)

    def _get_compiled(self, message: str) -> DescriptorProto:
        return self.messages.get(message, DescriptorProto())


def _quote(name: str) -> str:
    return f"`{name}`" if name else "missing"


def _list_body_fields(message: Message, role: JsonRole, form: HttpBinding) -> list[str]:
    return [
        item.name
        for item in message.fields
        if item.role is role and any((body.method, body.path) == (form.method, form.path) for body in item.carried)
    ]
