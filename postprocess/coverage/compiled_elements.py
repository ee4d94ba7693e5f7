"""List the fields, enum values and rpcs that compiled protos have."""

from __future__ import annotations

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.lock.model import Lock
from postprocess.tools.descriptors import iterate_enums, iterate_messages, iterate_methods
from preprocess.trace.present_elements import PresentElements, collect_locked_elements


def collect_compiled_elements(descriptors: FileDescriptorSet, lock: Lock) -> PresentElements:
    """Return the elements of compiled descriptors that the lock of the same contract ties to the specification."""
    files = descriptors.file
    fields = {(name, item.number) for _, name, message in iterate_messages(files) for item in message.field}
    values = {(name, value.number) for _, name, enum in iterate_enums(files) for value in enum.value}
    rpcs = frozenset(name for name, _ in iterate_methods(files))
    locked = collect_locked_elements(lock)
    return PresentElements(locked.fields & fields, locked.values & values, rpcs)
