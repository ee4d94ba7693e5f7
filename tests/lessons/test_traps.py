"""The traps that a specification can hold: each is in `traps.yaml`, which is built once, and compiled."""

from __future__ import annotations

from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorSet

from pipeline.model.lock.model import Lock
from postprocess.tools.protoc import compile_protos
from preprocess.records import PreprocessResult
from tests.fuzz.trial import attempt
from tests.support import spec2proto

HERE = Path(__file__).parent


class Built:
    """The protos of all traps: text and descriptors."""

    def __init__(self, folder: Path) -> None:
        out = folder / "out"
        done = spec2proto("build", "--quiet", "--spec", HERE / "traps.yaml", "--out", out)
        assert (done.returncode, done.stderr) == (0, "")
        self.texts = {str(path.relative_to(out)): path.read_text(encoding="utf-8") for path in out.rglob("*.proto")}
        self.descriptors: FileDescriptorSet = compile_protos(out, self.texts)
        own = [file for file in self.descriptors.file if file.name in self.texts]
        self.messages: dict[str, DescriptorProto] = {item.name: item for file in own for item in file.message_type}
        methods = [method for file in own for service in file.service for method in service.method]
        self.rpcs = {method.name: method for method in methods}

    def fields(self, message: str) -> dict[str, FieldDescriptorProto]:
        """The fields of a message by name."""
        return {field.name: field for field in self.messages[message].field}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("traps"))


def test_request_and_body_of_one_name_are_two_messages(built: Built) -> None:
    """Elsewhere one of the two vanishes, or protoc says `already defined`."""
    request = built.messages[built.rpcs["Create"].input_type.rpartition(".")[2]]
    bodies = [field.type_name.rpartition(".")[2] for field in request.field if field.type_name]
    assert request.name not in bodies
    assert any(list(built.fields(body)) == ["name"] for body in bodies)


def test_schemas_of_one_name_in_two_namespaces_are_two_messages(built: Built) -> None:
    """Elsewhere the last one wins."""
    fields = [[field.name for field in message.field] for message in built.messages.values()]
    assert ["id"] in fields
    assert ["host"] in fields


def test_an_rpc_may_be_called_like_a_message(built: Built) -> None:
    """Elsewhere `rpc Node(…) returns (Node)` names itself."""
    answer = built.rpcs["Node"].output_type.rpartition(".")[2]
    assert answer in built.messages


def test_a_map_is_no_markup(built: Built) -> None:
    """Elsewhere braces escape it to `map&lt;string`."""
    assert not [name for name, text in built.texts.items() if "&lt;" in text or "&#" in text]
    assert any("map<string, int64> counts" in text for text in built.texts.values())


def test_names_that_spelling_makes_one_are_two(built: Built) -> None:
    fields = built.fields("Odd")
    assert {"foo_bar", "foo_bar_2", "x1xx", "sha_256"} <= set(fields)
    assert len({fields[name].json_name for name in ("foo_bar", "foo_bar_2")}) == 2


def test_lists_and_maps_in_a_union_and_lists_of_lists_have_messages(built: Built) -> None:
    """Elsewhere `repeated` stands in a oneof, and a list of lists is one list."""
    rows = built.fields("Odd")["rows"]
    assert rows.label == FieldDescriptorProto.LABEL_REPEATED
    inner = built.fields(rows.type_name.rpartition(".")[2])
    assert [field.label for field in inner.values()] == [FieldDescriptorProto.LABEL_REPEATED]
    choice = built.messages[built.fields("Odd")["choice"].type_name.rpartition(".")[2]]
    assert len(choice.field) == 3
    assert {field.oneof_index for field in choice.field} == {0}


def test_what_may_be_anything_has_a_field(built: Built) -> None:
    """Elsewhere its file is imported and never written."""
    assert built.fields("Odd")["anything"].type_name.rpartition(".")[2] in {*built.messages, "Value"}


@pytest.mark.parametrize("rpc", ["Amend", "Exists", "Find", "Forget", "Cat", "Create", "Node"])
def test_every_kind_of_operation_has_an_rpc(built: Built, rpc: str) -> None:
    """PATCH alone, HEAD, bodies on GET and DELETE, maps and lists as answers, plain text: elsewhere not all of them."""
    answer = built.messages[built.rpcs[rpc].output_type.rpartition(".")[2]]
    assert rpc == "Amend" or len(answer.field) > 0
    assert rpc not in {"Amend", "Find", "Forget"} or built.fields(f"{rpc}Request")


def test_a_dotted_parameter_is_a_field(built: Built) -> None:
    assert built.fields(built.rpcs["Create"].input_type.rpartition(".")[2])["dry_run"].json_name == "dry.run"


def test_a_value_inserted_first_moves_no_other() -> None:
    """Elsewhere values are counted anew, which `buf breaking` in WIRE does not see."""
    first = _enum(["b", "c"], None)
    then = _enum(["a", "b", "c"], first.lock)
    assert _numbers(first).items() <= _numbers(then).items()
    assert len(_numbers(then)) == len(_numbers(first)) + 1


def _enum(values: list[str], lock: Lock | None) -> PreprocessResult:
    """A contract with one enum."""
    schema = {"type": "object", "properties": {"kind": {"type": "string", "enum": values}}}
    answer = {"200": {"description": "it", "content": {"application/json": {"schema": schema}}}}
    paths = {"/it": {"get": {"operationId": "it", "responses": answer}}}
    made = attempt({"openapi": "3.1.0", "info": {"title": "Kinds", "version": "1"}, "paths": paths}, lock).made
    assert made is not None
    return made.done


def _numbers(done: PreprocessResult) -> dict[str, int]:
    (kind,) = (enum for name, enum in done.contract.enums.items() if name.endswith("Kind"))
    return {value.name: value.number for value in kind.values}
