"""`spec2proto lock show` on a committed result."""

from __future__ import annotations

from tests.support import ROOT, spec2proto

EXAMPLE = ROOT / "protos" / "example"


def test_lock_show_gives_the_lines_of_the_lock() -> None:
    done = spec2proto("lock", "show", "Receipt", "--profile", "example")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "- {number: 1, name: x_id, type: string, label: singular, source: _id, json_name: _id}" in lines
    assert set(lines) <= {line.strip() for line in (EXAMPLE / "lock.yaml").read_text().splitlines()}
