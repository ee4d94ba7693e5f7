"""Summarize coverage for the report: by kind and namespace, the share of free-form fields, outcomes by keyword."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.model.contract import Contract
from pipeline.model.diagnostics import Place
from pipeline.model.keywords import Outcome
from postprocess.coverage.constraint_outcomes import ConstraintOutcome
from postprocess.coverage.gate import Coverage
from postprocess.report.search_index import get_namespace

ELSEWHERE = "without a message"
EXAMPLES = 3
# A reason with at most this many places is listed with all of them.
RARE = 40
_COLUMNS = ("typed", "dynamic", "deprecated", "replaced", "excluded", "lost")


def build_coverage_data(coverage: Coverage) -> dict[str, Any]:
    """Return coverage as plain data: `coverage` by kind, `dynamic` fields, `constraints` by keyword."""
    return {
        "coverage": {str(kind): _select_columns(counts) for kind, counts in sorted(coverage.counts.items())},
        "dynamic": build_dynamic_data(coverage),
        "constraints": {
            keyword: _summarize_keyword(listed)
            for keyword, listed in sorted(_group_by_keyword(coverage.constraint_outcomes).items())
        },
    }


def _select_columns(counts: Counter[str]) -> dict[str, int]:
    return {column: counts[column] for column in _COLUMNS if counts[column]}


def build_dynamic_data(coverage: Coverage) -> dict[str, Any]:
    """Return how many fields accept any value, their share, and the reasons with their fields."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for site, reason in sorted(coverage.free_form_reasons.items()):
        reasons[reason].append(site)
    return {
        "fields": coverage.fields,
        "dynamic": len(coverage.free_form_reasons),
        "percent": round(100 * len(coverage.free_form_reasons) / max(coverage.fields, 1), 2),
        "reasons": {reason: {"count": len(sites), "fields": sites} for reason, sites in _sort_by_size(reasons)},
    }


def _sort_by_size(reasons: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    return sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))


def _group_by_keyword(accounts: Iterable[ConstraintOutcome]) -> dict[str, list[ConstraintOutcome]]:
    groups: dict[str, list[ConstraintOutcome]] = defaultdict(list)
    for account in accounts:
        groups[account.constraint.keyword].append(account)
    return groups


def _summarize_keyword(accounts: list[ConstraintOutcome]) -> dict[str, Any]:
    """Count the outcomes of one keyword; reasons come with example places, or with all places if there are few."""
    outcomes = Counter(account.outcome for account in accounts)
    reasons: dict[str, list[str]] = defaultdict(list)
    for account in accounts:
        if account.outcome in {Outcome.NOT_EXPRESSIBLE, Outcome.PARTLY}:
            reasons[account.reason].append(str(account.constraint.place))
    return {str(outcome): outcomes[outcome] for outcome in Outcome if outcomes[outcome]} | {
        "not_expressed_because": [
            {
                "reason": reason,
                "count": len(places),
                "places": sorted(places)[: RARE if len(places) <= RARE else EXAMPLES],
            }
            for reason, places in _sort_by_size(reasons)
        ]
    }


def format_coverage(coverage: Coverage) -> Iterator[str]:
    """Format coverage for the terminal: one line per kind, one for free-form fields, one for constraints."""
    for kind, counts in sorted(coverage.counts.items()):
        yield f"{kind}: " + ", ".join(f"{count} {how}" for how, count in _select_columns(counts).items())
    data = build_dynamic_data(coverage)
    yield f"{data['dynamic']} of {data['fields']} fields accept any value ({data['percent']} %), as the spec says"
    outcomes = Counter(account.outcome for account in coverage.constraint_outcomes)
    yield "constraints: " + ", ".join(f"{outcomes[outcome]} {outcome}" for outcome in Outcome if outcomes[outcome])


def count_by_namespace(places: Iterable[tuple[Place, str]], contract: Contract) -> dict[str, dict[str, int]]:
    """Count by namespace how everything in scope is carried, the largest namespace first.

    The files of the contract tell the namespace of a place.
    """
    homes = _map_places(contract)
    counters: dict[str, Counter[str]] = {}
    for place, how in places:
        counters.setdefault(_find_namespace(place.pointer, homes), Counter())[str(how)] += 1
    largest = sorted(counters.items(), key=lambda item: (-item[1].total(), item[0]))
    return {name: dict(sorted(counts.items())) for name, counts in largest}


def _map_places(contract: Contract) -> dict[str, str]:
    """Map the pointer of each place that became part of the contract to its namespace."""
    files = {name: message.file for name, message in contract.messages.items()}
    namespaces = {place.pointer: get_namespace(files[rpc.request]) for rpc in contract.rpcs for place in rpc.places}
    for message in contract.messages.values():
        for field in message.fields:
            namespaces |= {place.pointer: get_namespace(message.file) for place in field.places}
    namespaces |= {enum.place.pointer: get_namespace(enum.file) for enum in contract.enums.values()}
    return namespaces | {message.place.pointer: get_namespace(message.file) for message in contract.messages.values()}


def _find_namespace(pointer: str, homes: dict[str, str]) -> str:
    while pointer:
        if pointer in homes:
            return homes[pointer]
        pointer = pointer.rpartition("/")[0]
    return ELSEWHERE
