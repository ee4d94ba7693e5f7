"""Convert short specifications for tests of coverage and constraints."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from pipeline.model.contract import Contract, Field
from pipeline.model.document.located import LocatedMap, read_document
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Profile
from pipeline.model.schema_facts import ScopeFacts
from postprocess.coverage.gate import Coverage, check_coverage, collect_compiled_elements
from postprocess.lock.descriptors import descriptors_of_lock
from preprocess.constraints.plan import OptionPlan, plan_options
from preprocess.passes import preprocess
from preprocess.trace.message_index import PresentElements
from preprocess.trace.walk import Trace, trace_schemas


@dataclass(frozen=True)
class ConvertedSpec:
    """A converted specification.

    Attributes:
        declared: what the specification declares.
        contract: the numbered contract.
        present: the elements of the contract that the protos have.
    """

    declared: ScopeFacts
    contract: Contract
    present: PresentElements

    def coverage(self) -> Coverage:
        return check_coverage(self.declared, self.contract, self.trace())

    def plan(self) -> OptionPlan:
        return plan_options(self.declared, self.contract, self.trace())

    def trace(self) -> Trace:
        return trace_schemas(self.declared, self.contract, self.present)

    def diagnostics(self) -> list[str]:
        return [f"{diagnostic.code}: {diagnostic.message}" for diagnostic in self.coverage().diagnostics]

    def without(self, message: str, field: str) -> ConvertedSpec:
        """Return a copy whose protos lack one field."""
        number = self.field(message, field).number
        return replace(self, present=replace(self.present, fields=self.present.fields - {(message, number)}))

    def without_value(self, enum: str, number: int) -> ConvertedSpec:
        """Return a copy whose protos lack one enum value."""
        return replace(self, present=replace(self.present, values=self.present.values - {(enum, number)}))

    def with_type(self, message: str, field: str, kind: str) -> ConvertedSpec:
        """Return a copy with another type for one field."""
        old = self.contract.messages[message]
        fields = tuple(item._replace(type=kind) if item.name == field else item for item in old.fields)
        messages = self.contract.messages | {message: old._replace(fields=fields)}
        return replace(self, contract=replace(self.contract, messages=messages))

    def field(self, message: str, field: str) -> Field:
        return next(item for item in self.contract.messages[message].fields if item.name == field)


def convert_document(document: LocatedMap, profile: Profile, lock: Lock) -> ConvertedSpec:
    """Convert a document; the protos are assumed to have what the lock lists, which each build checks."""
    done = preprocess(document, profile, lock, [])
    return ConvertedSpec(
        done.declared, done.contract, collect_compiled_elements(descriptors_of_lock(done.lock), done.lock)
    )


def convert_schemas(schemas: dict[str, Any], webhooks: dict[str, Any] | None = None, **operation: Any) -> ConvertedSpec:
    """Convert component schemas with one operation, whose response has all of them unless `operation` replaces it."""
    properties = {f"p{number}": {"$ref": f"#/components/schemas/{key}"} for number, key in enumerate(schemas, start=1)}
    schema = {"type": "object", "properties": properties}
    response = {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}}
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Sample", "version": "1"},
        "paths": {"/sample": {"post": {"operationId": "sample", "responses": response} | operation}},
        "components": {"schemas": schemas},
        "webhooks": webhooks or {},
    }
    profile = load_profile("generic").model_copy(update={"package": "sample.v1"})
    return convert_document(read_document(json.dumps(document), "spec.json"), profile, create_empty_lock("sample.v1"))
