"""Convert the selected operations, and the schemas that they reach, to a contract without numbers."""

from __future__ import annotations

from collections.abc import Iterable, Set

from pipeline.model.contract import SCALARS, Contract, Message, Rpc
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.lock.model import Lock, LockedRpc
from pipeline.model.profile.profile import Profile, RpcRule, ServiceRule
from preprocess.document.prune import Pruner
from preprocess.document.scope import Operation
from preprocess.naming.message_names import Namer
from preprocess.operations.bodies import RULE_STREAMING, build_binding, is_streaming
from preprocess.operations.requests import Requests, collect_body_hints, collect_message_names
from preprocess.operations.responses import declare_response
from preprocess.schema import well_known
from preprocess.schema.converter import Converter


def convert_operations(
    groups: dict[str, list[Operation]], pruner: Pruner, profile: Profile, lock: Lock, published: Iterable[LockedRpc]
) -> Contract:
    """Return the contract of the operations, without numbers; `published` are the rpcs of the lock.

    Raises:
        Failure: `names/…`, `operations/…`.
    """
    namer = Namer(lock, profile.names.schemas, profile.conversion.schema_separator)
    namer.keep_rpc_messages(published)
    names = well_known.NAMES | collect_message_names(groups, profile.conversion)
    namer.name_components(
        (key for key in pruner.schemas if not key.startswith("#/")),
        names,
        [service.name for service in profile.services],
    )
    converter = Converter(pruner.schemas, namer, profile.conversion, pruner.version, pruner.subtypes)
    requests = Requests(converter)
    converter.body_hints = collect_body_hints(converter, groups)
    requests.reserve_names(groups)
    signatures = {
        group: (requests.declare_request(group, forms), declare_response(converter, group, forms))
        for group, forms in groups.items()
    }
    requests.add_global_parameters()
    converter.fill_declared_messages()
    rpcs = [
        _make_rpc(service, rule, groups[rule.group], signatures[rule.group])
        for service in profile.services
        for rule in service.rpcs
        if rule.group in groups
    ]
    messages = {**{message.name: message for message in well_known.MESSAGES}, **converter.messages}
    enums = {**{enum.name: enum for enum in well_known.ENUMS}, **converter.enums}
    _check_types(messages, SCALARS | messages.keys() | enums.keys() | lock.messages.keys() | lock.enums.keys())
    return Contract(messages, enums, tuple(rpcs), tuple(converter.exclusions))


def _check_types(messages: dict[str, Message], types: Set[str]) -> None:
    """Refuse a field whose type is not in `types`; the vendor extension `x-protobuf-type` can name any type."""
    hint = "name a scalar type, or a message that the protos have"
    diagnostics = [
        Diagnostic("names/unknown-type", f"`{name}.{item.name}`: no message or enum `{item.type}`", place, hint)
        for name, message in messages.items()
        for item in message.fields
        if item.type not in types
        for place in (item.places or (message.place,))[:1]
    ]
    if diagnostics:
        raise Failure(diagnostics)


def _make_rpc(service: ServiceRule, rule: RpcRule, forms: list[Operation], signature: tuple[str, str]) -> Rpc:
    """Return the rpc of an operation group; it is deprecated only if all its operations are, for one reason."""
    streaming = is_streaming(forms) if rule.server_streaming is None else rule.server_streaming
    reasons = {form.deprecated for form in forms}
    return Rpc(
        service.name,
        rule.name,
        rule.group,
        *signature,
        streaming,
        bindings=tuple(build_binding(form) for form in forms),
        places=tuple(form.node.place for form in forms),
        rules=(RULE_STREAMING,) if streaming else (),
        deprecated=reasons.pop() if len(reasons) == 1 else "",
        description=str(forms[0].node.get("description", "")),
    )
