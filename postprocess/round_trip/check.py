"""The round trip: for each message and rpc of a build, samples go from JSON to bytes and back, and must be the same.

Coverage holds what the spec declares against the messages; this holds the messages and the binding against the codec.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from spec2proto_codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from spec2proto_codec.codec import serialize
from spec2proto_codec.http.routes import Rpc
from spec2proto_codec.plans.ambiguous_variants import AmbiguousVariants, find_ambiguous_variants
from spec2proto_codec.plans.types import MessagePlan

from pipeline.model.contract import Contract, Message
from pipeline.model.diagnostics import NOWHERE, Diagnostic, ExitCode, Failure, Place, Severity
from pipeline.model.source import SchemaKind
from postprocess.round_trip.exchanges import requests_of, responses_of, same, same_body, same_request
from postprocess.round_trip.leaves import Leaves
from postprocess.round_trip.samples import Samples, told_by
from postprocess.round_trip.shrink import smallest

HINT = "report the conversion or codec that loses it, or exclude the schema by the profile"
_SHOWN = 300


@dataclass(slots=True)
class Trips:
    """What came back.

    Attributes:
        messages: how many messages were tried.
        values: how many values of these.
        rpcs: how many rpcs were tried.
        exchanges: how many requests and answers of these.
        leaves: the texts, numbers, booleans and nulls of these values, by how they travel.
        indistinct: variants that no value can tell from an earlier one.
        diagnostics: what does not come back.
        warnings: variants that their own property says cannot be.
    """

    messages: int = 0
    values: int = 0
    rpcs: int = 0
    exchanges: int = 0
    leaves: Leaves = field(default_factory=Leaves)
    indistinct: list[AmbiguousVariants] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)


def check_round_trip(descriptors: FileDescriptorSet, binding: dict[str, Any], contract: Contract) -> Trips:
    """Try samples of everything.

    Args:
        descriptors: of the protos, imports included.
        binding: that was built together with them.
        contract: for the places in the spec.

    Raises:
        Failure: `proto/runtime` where protobuf itself cannot load what protoc compiled.
    """
    try:
        codec = HttpCodec(descriptors, binding)
    except TypeError as error:
        # The runtimes in C (Python, PHP, Ruby) take fewer fields than protoc: 64 KiB a message.
        message = f"protobuf's Python runtime refuses the protos: {str(error).rpartition(': ')[2]}"
        hint = "split the schemas that have thousands of properties, or exclude them by the profile"
        raise Failure(Diagnostic("proto/runtime", message, hint=hint), ExitCode.REFUSED) from None
    return _Check(codec, contract).run(binding["package"])


class _Check:
    def __init__(self, codec: HttpCodec, contract: Contract) -> None:
        self.codec = codec
        self.contract = contract
        self.samples = Samples(codec.plans)
        self.found = Trips()

    def run(self, package: str) -> Trips:
        wrapping = (name for name, each in self.contract.messages.items() if each.schema.kind is SchemaKind.WRAPPER)
        self.found.leaves = Leaves(frozenset(f"{package}.{name}" for name in wrapping))
        for plan in self.codec.plans.messages.values():
            if plan.form not in {"request", "response"}:
                self.message(plan, self.contract.messages.get(plan.name.removeprefix(f"{package}.")))
        places = {f"{rpc.service}/{rpc.name}": rpc.places for rpc in self.contract.rpcs}
        for name, rpc in self.codec.rpcs.items():
            self.rpc(rpc, next(iter(places.get(name, ())), NOWHERE))
        self.found.indistinct = find_ambiguous_variants(self.codec.plans)
        return self.found

    def message(self, plan: MessagePlan, message: Message | None) -> None:
        """The samples of one message; the first that does not come back is a diagnostic."""
        self.found.messages += 1
        self.impossible(plan, message)
        for value in self.samples.of(plan):
            self.found.values += 1
            made: list[Any] = []
            if self.fault(plan, value, made):
                least = smallest(value, lambda smaller: bool(self.fault(plan, smaller)))
                self.refuse(f"`{plan.short}`", least, self.fault(plan, least), _place(message, least))
                return
            if plan.form != "any" and plan.name not in self.found.leaves.wrappers:  # these are told for their fields
                self.found.leaves.count(made[0], plan)

    def impossible(self, plan: MessagePlan, message: Message | None) -> None:
        """Variants told by a value that the schema of the very property does not allow: no value can be of them."""
        for item in plan.variants:
            for name, texts in item.options.tags.items():
                if not told_by(item, name):
                    listed = " and ".join(f"`{text}`" for text in sorted(texts))
                    text = f"`{name}` is {listed} in `{item.plan.short}`, whose own schema does not allow it"
                    hint = "add the value to the enum, by an overlay or in the spec"
                    place = _place(message, None)
                    self.found.warnings.append(Diagnostic("codec/variant", text, place, hint, Severity.WARNING))

    def fault(self, plan: MessagePlan, value: Any, made: list[Any] | None = None) -> str:
        """Why a value does not come back; empty where it does, and then `made` has the message that it became."""

        def trip() -> Any:
            message = self.codec.encode_message(plan.name, value)
            if made is not None:
                made.append(message)
            return self.codec.decode(plan.name, serialize(message))

        return _fault(trip, value)

    def rpc(self, rpc: Rpc, place: Place) -> None:
        """The samples of one rpc; of its requests and its answers the first that does not come back is a diagnostic."""
        self.found.rpcs += 1
        for asked in requests_of(rpc, self.samples):
            self.found.exchanges += 1
            if why := _lost(lambda asked=asked: self.request(rpc, asked)):  # type: ignore[misc]
                self.refuse(f"a request of `{rpc.group}`", _shown(asked), why, place)
                break
        for asked, answer in responses_of(rpc, self.samples):
            self.found.exchanges += 1
            if why := _lost(lambda pair=(asked, answer): self.response(rpc, *pair)):  # type: ignore[misc]
                self.refuse(f"an answer of `{rpc.group}`", _written(answer.content), why, place)
                break

    def request(self, rpc: Rpc, asked: HttpRequest) -> str:
        back = self.codec.decode_request(rpc, self.codec.encode_request(rpc, asked))
        return "" if same_request(asked, back) else f"{json.dumps(_shown(back))[:_SHOWN]} comes back"

    def response(self, rpc: Rpc, asked: HttpRequest, answer: HttpResponse) -> str:
        if rpc.streaming:
            contents, failed = self.codec.encode_stream(rpc, asked, answer)
            back = self.codec.decode_stream(rpc, contents, failed=failed)
        else:
            content, failed = self.codec.encode_response(rpc, asked, answer)
            back = self.codec.decode_response(rpc, content, failed=failed)
        if back.status == answer.status and same_body(answer.content, back.content, answer.content_type):
            return ""
        return f"status {back.status} and {json.dumps(_written(back.content))[:_SHOWN]} come back"

    def refuse(self, what: str, value: Any, why: str, place: Place) -> None:
        shown = json.dumps(value, ensure_ascii=False)[:_SHOWN]
        text = f"{what} does not come back from protobuf: of {shown}, {why}"
        self.found.diagnostics.append(Diagnostic("codec/round-trip", text, place, HINT))


def _fault(trip: Callable[[], Any], value: Any) -> str:
    def compared() -> str:
        back = trip()
        return "" if same(value, back) else f"{json.dumps(back, ensure_ascii=False)[:_SHOWN]} comes back"

    return _lost(compared)


def _lost(trip: Callable[[], str]) -> str:
    """What a trip says, or why it cannot be made."""
    try:
        return trip()
    except CodecError as error:
        return f"{error.path or '/'} is refused: {error.reason}"


def _place(message: Message | None, value: Any) -> Place:
    """Where in the spec a value of a message stands: the property, where it has but one."""
    if message is None:
        return NOWHERE
    name = next(iter(value)) if type(value) is dict and len(value) == 1 else None
    places = (place for item in message.fields if item.json_name == name for place in item.places)
    return next(places, message.place) if name is not None else message.place


def _shown(request: HttpRequest) -> dict[str, Any]:
    query = f"?{request.query}" if request.query else ""
    return {"request": f"{request.method} {request.path}{query}", "body": _written(request.content)}


def _written(body: str | bytes | None) -> str | None:
    return body.hex() if isinstance(body, bytes) else body
