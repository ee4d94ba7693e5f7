"""`lock resolve`: two branches that gave out the same numbers, merged by real git, built by the real pipeline."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline.model.lock.model import Lock
from pipeline.model.lock.text import parse_lock
from tests.evolution.repository import Repository
from tests.support import ROOT, spec2proto

NAME = "case-resolve"
PROFILE = f"name: {NAME}\npackage: shop.v1\nfiles: {{messages: shop/v1/shop.proto}}\n"
Schema = dict[str, Any]


def string_schema() -> Schema:
    return {"type": "string"}


def build_spec(properties: Schema, states: list[str], more: Schema | None = None) -> str:
    """Return a specification with an item, its states and further schemas that it refers to."""
    references = {name.lower(): {"$ref": f"#/components/schemas/{name}"} for name in more or {}}
    item = {"type": "object", "properties": {**properties, **references, "state": {"type": "string", "enum": states}}}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Item"}}}
    operation = {
        "operationId": "get_item",
        "tags": ["items"],
        "responses": {"200": {"description": "", "content": content}},
    }
    document = {
        "openapi": "3.1.0",
        "info": {"title": "Shop", "version": "1"},
        "paths": {"/item": {"get": operation}},
        "components": {"schemas": {"Item": item, **(more or {})}},
    }
    return json.dumps(document)


FIRST = build_spec({"name": string_schema(), "price": string_schema()}, ["in", "out"])
# Both add fields, values and messages; one removes a field, both add one and the same.
MAIN = build_spec(
    {"colour": string_schema(), "name": string_schema(), "price": string_schema(), "size": string_schema()},
    ["in", "lost", "out"],
)
OURS = build_spec(
    {"colour": string_schema(), "name": string_schema(), "weight": {"type": "integer"}},
    ["in", "out", "sold"],
    {"Maker": {"type": "object", "properties": {"city": string_schema()}}},
)
BOTH = build_spec(
    {
        "colour": string_schema(),
        "name": string_schema(),
        "price": string_schema(),
        "size": string_schema(),
        "weight": {"type": "integer"},
    },
    ["in", "lost", "out", "sold"],
    {"Maker": {"type": "object", "properties": {"city": string_schema()}}},
)


class Shop(Repository):
    """A repository with a profile, a specification and a result."""

    @property
    def result(self) -> Path:
        return self.folder / "result"

    @property
    def lock(self) -> Lock:
        return parse_lock((self.result / "lock.yaml").read_bytes(), "lock")

    @property
    def numbers(self) -> dict[str, int]:
        return {item.name: item.number for item in self.lock.messages["Item"].fields}

    @property
    def values(self) -> dict[str, int]:
        return {item.name: item.number for item in self.lock.enums["ItemState"].values}

    def run(self, *arguments: str) -> str:
        process = spec2proto(*arguments, "--profile", self.folder / "profile.yaml", "--out", self.result)
        assert process.returncode == 0, process.stderr
        return process.stdout

    def build(self, content: str, message: str = "") -> None:
        (self.folder / "spec.json").write_text(content)
        self.run("build", "--quiet", "--spec", str(self.folder / "spec.json"))
        if message:
            self.commit(message)


@pytest.fixture(scope="module")
def branched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Create a release and two branches from it; `topic` is checked out."""
    shop = Shop(tmp_path_factory.mktemp("branches") / "shop")
    shop.begin()
    (shop.folder / "profile.yaml").write_text(PROFILE)
    shop.build(FIRST, "First")
    shop.git("tag", "v1")
    shop.git("switch", "--quiet", "--create", "topic")
    shop.build(OURS, "Topic")
    shop.git("switch", "--quiet", "main")
    shop.build(MAIN, "Main")
    shop.git("switch", "--quiet", "topic")
    yield shop
    shutil.rmtree(ROOT / "generated" / NAME, ignore_errors=True)


@pytest.fixture
def shop(branched: Shop, tmp_path: Path) -> Shop:
    """A copy of it."""
    shutil.copytree(branched.folder, tmp_path / "shop")
    return Shop(tmp_path / "shop")


def read_numbers(shop: Shop, branch: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return the numbers of fields and values on a branch."""
    lock = parse_lock(shop.git("show", f"{branch}:result/lock.yaml"), branch)
    fields = {item.name: item.number for item in lock.messages["Item"].fields}
    return fields, {item.name: item.number for item in lock.enums["ItemState"].values}


def check_resolved(shop: Shop, published: str) -> None:
    """Build both specifications together on the resolved lock, and check the result against the published side."""
    fields, values = shop.numbers, shop.values
    shop.build(BOTH)
    assert (shop.numbers, shop.values) == (fields, values), "the build gives no number that resolving did not"
    shop.run("check", "--against", published)
    live = {item.name for item in shop.lock.messages["Item"].fields if item.state == "live"}
    assert live == {"colour", "maker", "name", "price", "size", "state", "weight"}


def test_the_branches_gave_out_the_same_numbers(branched: Shop) -> None:
    ours, theirs = read_numbers(branched, "topic"), read_numbers(branched, "main")
    for mine, other in zip(ours, theirs, strict=True):
        assert {number for name, number in mine.items() if other.get(name) != number} & set(other.values())


def test_merging_main_in_keeps_the_numbers_of_main(shop: Shop) -> None:
    assert "CONFLICT" in shop.git("merge", "main", ok=False)
    assert "<<<<<<<" in (shop.result / "lock.yaml").read_text()
    output = shop.run("lock", "resolve")
    fields, values = read_numbers(shop, "main")
    assert fields.items() <= shop.numbers.items()
    assert values.items() <= shop.values.items()
    assert "renumbered  Item.weight: " in output
    assert "resolved" in output
    assert len(set(shop.numbers.values())) == len(shop.numbers)
    check_resolved(shop, "main")


def test_rebasing_onto_main_keeps_the_numbers_of_main(shop: Shop) -> None:
    assert "CONFLICT" in shop.git("rebase", "main", ok=False)
    shop.run("lock", "resolve")
    fields, values = read_numbers(shop, "main")
    assert fields.items() <= shop.numbers.items()
    assert values.items() <= shop.values.items()
    check_resolved(shop, "main")


def test_merging_into_main_keeps_the_numbers_of_the_side_that_is_named(shop: Shop) -> None:
    shop.git("switch", "--quiet", "main")
    assert "CONFLICT" in shop.git("merge", "topic", ok=False)
    shop.run("lock", "resolve", "--published", "ours")
    fields, _ = read_numbers(shop, "main")
    assert fields.items() <= shop.numbers.items()
    check_resolved(shop, "main")


def test_three_files_are_resolved_into_the_second(shop: Shop, tmp_path: Path) -> None:
    files = []
    for name in ("v1", "main", "topic"):
        files.append(tmp_path / f"{name}.yaml")
        files[-1].write_text(shop.git("show", f"{name}:result/lock.yaml"))
    process = spec2proto("lock", "resolve", "--profile", shop.folder / "profile.yaml", *files)
    assert process.returncode == 0, process.stderr
    merged = parse_lock(files[1].read_bytes(), "merged")
    numbers = {item.name: item.number for item in merged.messages["Item"].fields}
    assert read_numbers(shop, "main")[0].items() <= numbers.items()
    assert numbers.keys() == read_numbers(shop, "main")[0].keys() | read_numbers(shop, "topic")[0].keys()


def test_a_lock_that_is_not_in_conflict_stays_as_it_is(shop: Shop) -> None:
    before = (shop.result / "lock.yaml").read_bytes()
    process = spec2proto("lock", "resolve", "--profile", shop.folder / "profile.yaml", "--out", shop.result)
    assert process.returncode == 2
    assert "error[lock/no-conflict]" in process.stderr
    process = spec2proto("lock", "resolve", "--published", "mine")
    assert process.returncode == 2
    assert "error[usage/resolve]" in process.stderr
    assert (shop.result / "lock.yaml").read_bytes() == before


def test_an_empty_side_is_no_lock(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("base.yaml", "ours.yaml", "theirs.yaml")]
    for path in files:
        path.write_text("")
    process = spec2proto("lock", "resolve", "--profile", "example", *files)
    assert (process.returncode, "error[lock/unreadable]" in process.stderr) == (2, True), process.stderr


def test_without_resolving_the_gate_refuses_what_the_other_side_renumbers(shop: Shop) -> None:
    shop.git("merge", "main", ok=False)
    shop.git("checkout", "--ours", "--", "result")
    process = spec2proto("check", "--profile", shop.folder / "profile.yaml", "--out", shop.result, "--against", "main")
    assert process.returncode == 1
    assert "history/reused" in process.stderr
