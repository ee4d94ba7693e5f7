"""What the report says of the round trip."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from postprocess.round_trip.check import Trips


def round_trip_data(trips: Trips, open_fields: Collection[str]) -> dict[str, Any]:
    """The round trip as plain data: `round_trip` with counts, how leaves travel, and variants that are never chosen.

    Args:
        trips: what came back.
        open_fields: the fields of which the spec declares no type.
    """
    leaves = trips.leaves
    return {
        "round_trip": {
            "messages": trips.messages,
            "values": trips.values,
            "rpcs": trips.rpcs,
            "exchanges": trips.exchanges,
            "lost": len(trips.diagnostics),
            "leaves": leaves.total,
            "dynamic_leaves": leaves.dynamic.total(),
            "dynamic_though_typed": sum(leaves.though_typed(open_fields).values()),
            "typed_percent": round(100 * leaves.typed / leaves.total, 2) if leaves.total else 100.0,
            "indistinct": [
                {"message": item.message, "chosen": item.chosen, "never": item.never} for item in trips.indistinct
            ],
        }
    }


def round_trip_lines(trips: Trips) -> Iterator[str]:
    """The round trip for a terminal."""
    yield f"round trip: {trips.values} values of {trips.messages} messages, {trips.exchanges} requests and answers"
    if trips.indistinct:
        yield f"{len(trips.indistinct)} variants that no value can tell from an earlier one"
