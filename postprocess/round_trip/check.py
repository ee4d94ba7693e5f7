"""Check the round trip: samples of each message and rpc go from JSON to protobuf and back, and must not change.

Coverage compares the specification with the messages; this check compares messages and binding with the codec.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
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
from postprocess.round_trip import exchanges
from postprocess.round_trip.leaves import Leaves
from postprocess.round_trip.samples import Samples, list_tag_values

HINT = "report the conversion or codec that loses it, or exclude the schema in the profile"
_SHOWN = 300
# The number of attempts to shrink a failing value.
TRIALS = 400


@dataclass(slots=True)
class RoundTripResult:
    """The result of the round trip: numbers of what was tried, and what failed.

    Attributes:
        values: the number of sample values of the messages.
        exchanges: the number of requests and responses of the rpcs.
        leaves: the strings, numbers, booleans and nulls of the values, by how they travel.
        indistinct: union variants that no value distinguishes from an earlier one.
        diagnostics: values that do not survive.
        warnings: variants whose tag value their own schema forbids.
    """

    messages: int = 0
    values: int = 0
    rpcs: int = 0
    exchanges: int = 0
    leaves: Leaves = field(default_factory=Leaves)
    indistinct: list[AmbiguousVariants] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    warnings: list[Diagnostic] = field(default_factory=list)


def check_round_trip(descriptors: FileDescriptorSet, binding: dict[str, Any], contract: Contract) -> RoundTripResult:
    """Send samples of every message and rpc through the codec and back; the contract tells places in the specification.

    Raises:
        Failure: `proto/runtime` if protobuf itself cannot load what protoc compiled.
    """
    try:
        codec = HttpCodec(descriptors, binding)
    except TypeError as error:
        # The runtimes in C (Python, PHP, Ruby) accept fewer fields than protoc: 64 KiB per message.
        message = f"protobuf's Python runtime refuses the protos: {str(error).rpartition(': ')[2]}"
        hint = "split the schemas that have thousands of properties, or exclude them in the profile"
        raise Failure(Diagnostic("proto/runtime", message, hint=hint), ExitCode.REFUSED) from None
    return _Check(codec, contract).run(binding["package"])


class _Check:
    def __init__(self, codec: HttpCodec, contract: Contract) -> None:
        self.codec = codec
        self.contract = contract
        self.samples = Samples(codec.plans)
        self.result = RoundTripResult()

    def run(self, package: str) -> RoundTripResult:
        wrappers = (
            name for name, message in self.contract.messages.items() if message.schema.kind is SchemaKind.WRAPPER
        )
        self.result.leaves = Leaves(frozenset(f"{package}.{name}" for name in wrappers))
        for plan in self.codec.plans.messages.values():
            if plan.form not in {"request", "response"}:
                self._check_message(plan, self.contract.messages.get(plan.name.removeprefix(f"{package}.")))
        places = {f"{rpc.service}/{rpc.name}": rpc.places for rpc in self.contract.rpcs}
        for name, rpc in self.codec.rpcs.items():
            self._check_rpc(rpc, next(iter(places.get(name, ())), NOWHERE))
        self.result.indistinct = find_ambiguous_variants(self.codec.plans)
        return self.result

    def _check_message(self, plan: MessagePlan, message: Message | None) -> None:
        self.result.messages += 1
        self._warn_of_forbidden_tags(plan, message)
        for value in self.samples.sample_message(plan):
            self.result.values += 1
            encoded: list[Any] = []
            if self._find_fault(plan, value, encoded):
                smallest = shrink(value, lambda smaller: bool(self._find_fault(plan, smaller)))
                why, place = self._find_fault(plan, smallest), _find_place(message, smallest)
                self._refuse(f"`{plan.short}`", smallest, why, place)
                return
            # The leaves of dynamic messages and wrappers count for the fields that have them.
            if plan.form != "any" and plan.name not in self.result.leaves.wrappers:
                self.result.leaves.count(encoded[0], plan)

    def _warn_of_forbidden_tags(self, plan: MessagePlan, message: Message | None) -> None:
        """Warn of variants whose tag has only values that its own schema forbids: no value selects them."""
        for item in plan.variants:
            for name, texts in item.options.tags.items():
                if not list_tag_values(item, name):
                    listed = " and ".join(f"`{text}`" for text in sorted(texts))
                    text = f"`{name}` is {listed} in `{item.plan.short}`, whose own schema does not allow it"
                    hint = "add the value to the enum, in an overlay or in the specification"
                    place = _find_place(message, None)
                    self.result.warnings.append(Diagnostic("codec/variant", text, place, hint, Severity.WARNING))

    def _find_fault(self, plan: MessagePlan, value: Any, encoded: list[Any] | None = None) -> str:
        """Return why a value does not survive, else an empty string; `encoded` then receives the message."""

        def trip() -> Any:
            message = self.codec.encode_message(plan.name, value)
            if encoded is not None:
                encoded.append(message)
            return self.codec.decode(plan.name, serialize(message))

        return _describe_difference(trip, value)

    def _check_rpc(self, rpc: Rpc, place: Place) -> None:
        self.result.rpcs += 1
        for request in exchanges.sample_requests(rpc, self.samples):
            self.result.exchanges += 1
            if why := _describe_loss(lambda request=request: self._try_request(rpc, request)):  # type: ignore[misc]
                self._refuse(f"a request of `{rpc.group}`", _show_request(request), why, place)
                break
        for request, response in exchanges.sample_responses(rpc, self.samples):
            self.result.exchanges += 1
            if why := _describe_loss(lambda pair=(request, response): self._try_response(rpc, *pair)):  # type: ignore[misc]
                self._refuse(f"a response of `{rpc.group}`", _show_body(response.content), why, place)
                break

    def _try_request(self, rpc: Rpc, request: HttpRequest) -> str:
        back = self.codec.decode_request(rpc, self.codec.encode_request(rpc, request))
        is_same = exchanges.is_same_request(request, back)
        return "" if is_same else f"{json.dumps(_show_request(back))[:_SHOWN]} comes back"

    def _try_response(self, rpc: Rpc, request: HttpRequest, response: HttpResponse) -> str:
        if rpc.streaming:
            contents, failed = self.codec.encode_stream(rpc, request, response)
            back = self.codec.decode_stream(rpc, contents, failed=failed)
        else:
            content, failed = self.codec.encode_response(rpc, request, response)
            back = self.codec.decode_response(rpc, content, failed=failed)
        is_same = exchanges.is_same_body(response.content, back.content, response.content_type)
        if back.status == response.status and is_same:
            return ""
        return f"status {back.status} and {json.dumps(_show_body(back.content))[:_SHOWN]} come back"

    def _refuse(self, subject: str, value: Any, why: str, place: Place) -> None:
        sample = json.dumps(value, ensure_ascii=False)[:_SHOWN]
        text = f"{subject} does not survive the round trip through protobuf: of {sample}, {why}"
        self.result.diagnostics.append(Diagnostic("codec/round-trip", text, place, HINT))


def _describe_difference(trip: Callable[[], Any], value: Any) -> str:
    def compared() -> str:
        back = trip()
        is_same = exchanges.is_same_json(value, back)
        return "" if is_same else f"{json.dumps(back, ensure_ascii=False)[:_SHOWN]} comes back"

    return _describe_loss(compared)


def _describe_loss(trip: Callable[[], str]) -> str:
    try:
        return trip()
    except CodecError as error:
        return f"{error.path or '/'} is refused: {error.reason}"


def _find_place(message: Message | None, value: Any) -> Place:
    """Return the place of a value in the specification: its property if it has only one, else its message."""
    if message is None:
        return NOWHERE
    name = next(iter(value)) if type(value) is dict and len(value) == 1 else None
    places = (place for item in message.fields if item.json_name == name for place in item.places)
    return next(places, message.place) if name is not None else message.place


def _show_request(request: HttpRequest) -> dict[str, Any]:
    query = f"?{request.query}" if request.query else ""
    return {"request": f"{request.method} {request.path}{query}", "body": _show_body(request.content)}


def _show_body(body: str | bytes | None) -> str | None:
    return body.hex() if isinstance(body, bytes) else body


def shrink(value: Any, fails: Callable[[Any], bool]) -> Any:
    """Return the smallest value that still fails after removing keys and items in at most `TRIALS` attempts."""
    trials, shrunk = TRIALS, True
    while shrunk and trials > 0:
        shrunk = False
        for smaller in _shrink_once(value):
            trials -= 1
            if fails(smaller):
                value, shrunk = smaller, True
                break
            if trials <= 0:
                break
    return value


def _shrink_once(value: Any) -> Iterator[Any]:
    """Yield the values with one key or item less, the largest steps first."""
    if type(value) is dict:
        yield from ({name: value[name]} for name in value if len(value) > 1)
        yield from ({name: item for name, item in value.items() if name != removed} for removed in value)
        for name, entry in value.items():
            yield from (value | {name: smaller} for smaller in _shrink_once(entry))
    elif type(value) is list:
        yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
        for at, entry in enumerate(value):
            yield from ([*value[:at], smaller, *value[at + 1 :]] for smaller in _shrink_once(entry))
