"""Summarize the round trip for the report."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from postprocess.round_trip.check import RoundTripResult


def build_round_trip_data(trips: RoundTripResult, open_fields: Collection[str]) -> dict[str, Any]:
    """Return as data: counts, how leaf values travel, and variants that are never chosen.

    The specification declares no type for the `open_fields`.
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
            "dynamic_though_typed": sum(leaves.count_typed_dynamic(open_fields).values()),
            "typed_percent": round(100 * leaves.typed / leaves.total, 2) if leaves.total else 100.0,
            "indistinct": [
                {"message": item.message, "chosen": item.chosen, "never": item.never} for item in trips.indistinct
            ],
        }
    }


def format_round_trip(trips: RoundTripResult) -> Iterator[str]:
    """Format the round trip for the terminal."""
    yield f"round trip: {trips.values} values of {trips.messages} messages, {trips.exchanges} requests and responses"
    if trips.indistinct:
        yield f"{len(trips.indistinct)} variants that no value distinguishes from an earlier one"
