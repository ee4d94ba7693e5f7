"""The committed bindings and the locks beside them."""

from __future__ import annotations

import json

from pipeline.model.lock.text import parse_lock
from tests.support import ROOT

EXAMPLE = ROOT / "protos" / "example"


def test_the_binding_has_only_fields_of_the_lock() -> None:
    for profile in ("example", "opensearch", "opensearch-full"):
        folder = ROOT / "protos" / profile
        binding = json.loads((folder / "binding.json").read_text())
        lock = parse_lock((folder / "lock.yaml").read_bytes(), "lock.yaml")
        assert binding["version"] == 1
        for name, entry in binding["messages"].items():
            names = {item.name for item in lock.messages[name.removeprefix(f"{lock.package}.")].fields}
            assert set(entry["fields"]) <= names
        assert set(binding["rpcs"]) == {f"{rpc.service}/{rpc.name}" for rpc in lock.rpcs}
    catalog = json.loads((EXAMPLE / "binding.json").read_text())
    assert catalog["messages"]["folio.catalog.v1.RecordCard"]["fields"]["last_seen_at"]["json"] == "lastSeenAt"
    assert catalog["enums"]["folio.catalog.v1.Order"]["ORDER_ASC_UPPER"] == ["ASC"]
