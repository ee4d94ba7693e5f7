"""Every published element stays and keeps its meaning; what a lock may do instead is to grow."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.model.contract import Label
from pipeline.model.lock.model import (
    Lock,
    LockedAcceptance,
    LockedEnum,
    LockedExtension,
    LockedField,
    LockedMessage,
    LockedRpc,
    LockedValue,
    State,
    create_empty_lock,
)
from postprocess.lock.compatibility import LockDiff, compatibility_errors, compatibility_errors_of_all, diff_locks

NAME = LockedField(number=1, name="name", type="string", label=Label.OPTIONAL, json_name="Name")
OLD = LockedField(number=2, name="old", type="string", label=Label.SINGULAR, state=State.RESERVED)
RPC = LockedRpc(service="S", name="Get", file="s.proto", package="a.v1", request="A", response="A")
ACCEPTED = LockedAcceptance(code="lock/rpc-changed", element="S/Get", detail="streams", reason="nobody calls it")
BASE = create_empty_lock("a.v1").model_copy(
    update={
        "messages": {
            "A": LockedMessage(file="a.proto", next=5, fields=(NAME, OLD)),
            "Empty": LockedMessage(file="a.proto", next=1),
        },
        "enums": {"E": LockedEnum(file="a.proto", next=2, values=(LockedValue(number=0, name="E_UNSPECIFIED"),))},
        "rpcs": (RPC,),
        "extensions": (LockedExtension(name="x", extends="a.v1.A", number=9, type="string", file="a.proto"),),
        "accepted": (LockedAcceptance(code="buf/FILE_NO_DELETE", element="b.proto", detail="", reason="never used"),),
    }
)


def change(**update: Any) -> Lock:
    return BASE.model_copy(update=update)


def change_message(**update: Any) -> Lock:
    return change(messages=BASE.messages | {"A": BASE.messages["A"].model_copy(update=update)})


def change_field(**update: Any) -> Lock:
    return change_message(fields=(NAME.model_copy(update=update), OLD))


def change_enum(**update: Any) -> Lock:
    return change(enums={"E": BASE.enums["E"].model_copy(update=update)})


def change_rpc(**update: Any) -> Lock:
    return change(rpcs=(RPC.model_copy(update=update),))


ERRORS: dict[str, tuple[Lock, str, str]] = {
    "package": (change(package="a.v2"), "history/package", "/package"),
    "json name": (change_field(json_name="other"), "history/changed", "/messages/A/fields/0"),
    "type": (change_field(type="int32"), "history/changed", "/messages/A/fields/0"),
    "label": (change_field(label=Label.REPEATED), "history/changed", "/messages/A/fields/0"),
    "oneof": (change_field(oneof="choice"), "history/changed", "/messages/A/fields/0"),
    "name": (change_field(name="title"), "history/reused", "/messages/A/fields/0"),
    "live to reserved": (change_field(state=State.RESERVED), "history/changed", "/messages/A/fields/0"),
    "live to replaced": (change_field(state=State.REPLACED), "history/changed", "/messages/A/fields/0"),
    "field": (change_message(fields=(NAME,)), "history/lost", "/messages/A/fields"),
    "cursor": (change_message(next=4), "history/cursor", "/messages/A/next"),
    "new field below the cursor": (
        change_message(fields=(NAME, OLD, NAME.model_copy(update={"number": 4, "name": "new"}))),
        "history/number",
        "/messages/A/fields/2",
    ),
    "message reserved": (change_message(state=State.RESERVED), "history/lost", "/messages/A"),
    "message without fields": (
        change(messages={"A": BASE.messages["A"]}),
        "history/lost",
        "/messages",
    ),
    "enum": (change(enums={}), "history/lost", "/enums"),
    "enum cursor": (change_enum(next=1), "history/cursor", "/enums/E/next"),
    "enum value": (
        change_enum(values=(LockedValue(number=0, name="E_NONE"),)),
        "history/reused",
        "/enums/E/values/0",
    ),
    "rpc": (change(rpcs=()), "history/lost", "/rpcs"),
    "rpc in another file": (change_rpc(file="t.proto"), "history/changed", "/rpcs/0"),
    "rpc in another package": (change_rpc(package="b.v1"), "history/changed", "/rpcs/0"),
    "rpc with a stream": (change_rpc(server_streaming=True), "history/changed", "/rpcs/0"),
    "rpc reserved": (change_rpc(state=State.RESERVED), "history/changed", "/rpcs/0"),
    "custom option": (change(extensions=()), "history/lost", "/extensions"),
    "acceptance": (change(accepted=()), "history/lost", "/accepted"),
}
COMPATIBLE: dict[str, Lock] = {
    "nothing": BASE.model_copy(),
    "deprecated field": change_field(state=State.DEPRECATED, reason="gone from the specification"),
    "another source": change_field(source="property:name"),
    "reserved field that is live again": change_message(fields=(NAME, OLD.model_copy(update={"state": State.LIVE}))),
    "new field": change_message(next=6, fields=(NAME, OLD, NAME.model_copy(update={"number": 5, "name": "new"}))),
    "message in another file": change_message(file="b.proto"),
    "accepted rpc": change_rpc(server_streaming=True).model_copy(update={"accepted": (*BASE.accepted, ACCEPTED)}),
}


@pytest.mark.parametrize("case", ERRORS)
def test_what_loses_or_changes_an_element_is_an_error(case: str) -> None:
    head, code, pointer = ERRORS[case]
    errors = compatibility_errors(BASE, head, "v1")
    assert [(error.code, error.place.pointer) for error in errors] == [(code, pointer)]
    assert errors[0].message.endswith("(against v1)")


@pytest.mark.parametrize("case", COMPATIBLE)
def test_what_only_grows_is_compatible(case: str) -> None:
    assert compatibility_errors(BASE, COMPATIBLE[case], "v1") == []


def test_an_acceptance_holds_for_one_change() -> None:
    spent = BASE.model_copy(update={"accepted": (*BASE.accepted, ACCEPTED)})
    head = change_rpc(server_streaming=True).model_copy(update={"accepted": spent.accepted})
    assert [error.code for error in compatibility_errors(spent, head, "v1")] == ["history/changed"]


def test_of_equal_errors_the_first_is_returned() -> None:
    errors = compatibility_errors_of_all([("v2", BASE), ("v1", BASE)], change(rpcs=()))
    assert [error.message for error in errors] == ["rpc `S/Get` is gone (against v2)"]


def test_locks_differ_in_what_is_live() -> None:
    head = change_message(fields=(NAME.model_copy(update={"state": State.DEPRECATED}), OLD))
    assert diff_locks(BASE, head) == LockDiff(added=(), retired=("A.name",))
    assert diff_locks(create_empty_lock("a.v1"), BASE) == LockDiff(("A.name", "E.E_UNSPECIFIED", "S/Get"), ())
