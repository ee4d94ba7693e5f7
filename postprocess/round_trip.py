"""The round trip: for each message and rpc of a build, samples go from JSON to bytes and back, and must be the same.

Coverage holds what the spec declares against the messages; this holds the messages and the binding against the codec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.contract import Contract, Message
from pipeline.model.findings import Finding, Place, Severity
from postprocess.codec import CodecError, HttpCodec, HttpRequest, HttpResponse
from postprocess.codec.distinct import Indistinct, indistinct
from postprocess.codec.model import FieldPlan, MessagePlan
from postprocess.codec.rpcs import Rpc
from postprocess.exchanges import requests_of, responses_of, same, same_body, same_request
from postprocess.samples import Samples, told_by
from postprocess.smallest import smallest

HINT = "report the conversion or codec that loses it, or exclude the schema by the profile"
_SHOWN = 300
_OPEN = {"any", "number"}


@dataclass(slots=True)
class Trips:
    """What came back.

    Attributes:
        messages: how many messages were tried.
        values: how many values of these.
        rpcs: how many rpcs were tried.
        exchanges: how many requests and answers of these.
        leaves: how many texts, numbers, booleans and nulls the properties of these values had.
        open_leaves: how many of them went into fields for anything, which coverage allows where the spec has no type.
        indistinct: variants that no value can tell from an earlier one.
        findings: what does not come back.
        warnings: variants that their own property says cannot be.
    """

    messages: int = 0
    values: int = 0
    rpcs: int = 0
    exchanges: int = 0
    leaves: int = 0
    open_leaves: int = 0
    indistinct: list[Indistinct] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)


def check_round_trip(descriptors: FileDescriptorSet, binding: dict[str, Any], contract: Contract) -> Trips:
    """Try samples of everything.

    Args:
        descriptors: of the protos, imports included.
        binding: that was built together with them.
        contract: for the places in the spec.
    """
    codec = HttpCodec(descriptors, binding)
    return _Check(codec, contract).run(binding["package"])


class _Check:
    def __init__(self, codec: HttpCodec, contract: Contract) -> None:
        self.codec = codec
        self.contract = contract
        self.samples = Samples(codec.plans)
        self.found = Trips()

    def run(self, package: str) -> Trips:
        for plan in self.codec.plans.messages.values():
            if plan.form not in {"request", "response"}:
                self.message(plan, self.contract.messages.get(plan.name.removeprefix(f"{package}.")))
        places = {f"{rpc.service}/{rpc.name}": rpc.places for rpc in self.contract.rpcs}
        for name, rpc in self.codec.rpcs.items():
            self.rpc(rpc, next(iter(places.get(name, ())), Place()))
        self.found.indistinct = indistinct(self.codec.plans)
        return self.found

    def message(self, plan: MessagePlan, message: Message | None) -> None:
        """The samples of one message; the first that does not come back is a finding."""
        self.found.messages += 1
        self.impossible(plan, message)
        for value in self.samples.of(plan):
            self.found.values += 1
            self.count(plan, value)
            if self.fault(plan, value):
                least = smallest(value, lambda smaller: bool(self.fault(plan, smaller)))
                self.refuse(f"`{plan.short}`", least, self.fault(plan, least), _place(message, least))
                return

    def impossible(self, plan: MessagePlan, message: Message | None) -> None:
        """Variants told by a value that the schema of the very property does not allow: no value can be of them."""
        for item in plan.variants:
            for name, texts in item.tags.items():
                if not told_by(item, name):
                    listed = " and ".join(f"`{text}`" for text in sorted(texts))
                    text = f"`{name}` is {listed} in `{item.plan.short}`, whose own schema does not allow it"
                    hint = "add the value to the enum, by an overlay or in the spec"
                    place = _place(message, None)
                    self.found.warnings.append(Finding("codec/variant", text, place, hint, Severity.WARNING))

    def fault(self, plan: MessagePlan, value: Any) -> str:
        """Why a value does not come back; empty where it does."""
        return _fault(lambda: self.codec.decode(plan.name, self.codec.encode(plan.name, value)), value)

    def count(self, plan: MessagePlan, value: Any) -> None:
        """Count the leaves of a value by whether their fields have a type."""
        for item, entry in _own(plan, value):
            leaves = _leaves(entry)
            self.found.leaves += leaves
            if item.coding == "document" or (item.kind == "message" and item.plan.form in _OPEN):
                self.found.open_leaves += leaves

    def rpc(self, rpc: Rpc, place: Place) -> None:
        """The samples of one rpc; of its requests and its answers the first that does not come back is a finding."""
        self.found.rpcs += 1
        for asked in requests_of(rpc, self.samples):
            self.found.exchanges += 1
            if why := _lost(lambda asked=asked: self.request(rpc, asked)):  # type: ignore[misc]
                self.refuse(f"a request of `{rpc.group}`", _shown(asked), why, place)
                break
        for asked, answer in responses_of(rpc, self.samples):
            self.found.exchanges += 1
            if why := _lost(lambda pair=(asked, answer): self.response(rpc, *pair)):  # type: ignore[misc]
                self.refuse(f"an answer of `{rpc.group}`", answer.body, why, place)
                break

    def request(self, rpc: Rpc, asked: HttpRequest) -> str:
        back = self.codec.decode_request(rpc, self.codec.encode_request(rpc, asked))
        return "" if same_request(asked, back) else f"{json.dumps(_shown(back))[:_SHOWN]} comes back"

    def response(self, rpc: Rpc, asked: HttpRequest, answer: HttpResponse) -> str:
        content, failed = self.codec.encode_response(rpc, asked, answer)
        back = self.codec.decode_response(rpc, content, failed=failed)
        if back.status == answer.status and same_body(answer.body, back.body, answer.content_type):
            return ""
        return f"status {back.status} and {json.dumps(back.body)[:_SHOWN]} come back"

    def refuse(self, what: str, value: Any, why: str, place: Place) -> None:
        shown = json.dumps(value, ensure_ascii=False)[:_SHOWN]
        text = f"{what} does not come back from protobuf: of {shown}, {why}"
        self.found.findings.append(Finding("codec/round-trip", text, place, HINT))


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


def _own(plan: MessagePlan, value: Any) -> Iterator[tuple[FieldPlan, Any]]:
    """The properties of a value with their fields, for what is in messages of their own is counted there."""
    if plan.form == "object":
        for name, item in plan.properties.items():
            if name in value and (item.kind != "message" or item.plan.form in _OPEN):
                yield item, value[name]


def _leaves(value: Any) -> int:
    if type(value) is dict:
        return sum(map(_leaves, value.values()))
    return sum(map(_leaves, value)) if type(value) is list else 1


def _place(message: Message | None, value: Any) -> Place:
    """Where in the spec a value of a message stands: the property, where it has but one."""
    if message is None:
        return Place()
    name = next(iter(value)) if type(value) is dict and len(value) == 1 else None
    places = (place for item in message.fields if item.json_name == name for place in item.places)
    return next(places, message.place) if name is not None else message.place


def _shown(request: HttpRequest) -> dict[str, Any]:
    query = f"?{request.query}" if request.query else ""
    return {"request": f"{request.method} {request.path}{query}", "body": request.body}
