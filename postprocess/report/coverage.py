"""What the report says of coverage: counts by kind, the share of free-form fields, what became of each keyword."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.model.keywords import Outcome
from postprocess.coverage.constraint_outcomes import ConstraintOutcome
from postprocess.coverage.gate import Coverage

EXAMPLES = 3
# Keywords that stand in few places are listed with all of them, up to so many.
RARE = 40
_COLUMNS = ("typed", "dynamic", "deprecated", "replaced", "excluded", "lost")


def coverage_data(coverage: Coverage) -> dict[str, Any]:
    """Coverage as plain data: `coverage` by kind, `dynamic` fields, `constraints` by keyword."""
    return {
        "coverage": {str(kind): _row(counts) for kind, counts in sorted(coverage.counts.items())},
        "dynamic": dynamic_data(coverage),
        "constraints": {
            keyword: _keyword(listed) for keyword, listed in sorted(_by_keyword(coverage.constraint_outcomes).items())
        },
    }


def _row(counts: Counter[str]) -> dict[str, int]:
    return {column: counts[column] for column in _COLUMNS if counts[column]}


def dynamic_data(coverage: Coverage) -> dict[str, Any]:
    """How many fields take anything, of how many, and why: each reason with its fields."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for site, reason in sorted(coverage.free_form_reasons.items()):
        reasons[reason].append(site)
    return {
        "fields": coverage.fields,
        "dynamic": len(coverage.free_form_reasons),
        "percent": round(100 * len(coverage.free_form_reasons) / max(coverage.fields, 1), 2),
        "reasons": {reason: {"count": len(sites), "fields": sites} for reason, sites in _largest_first(reasons)},
    }


def _largest_first(reasons: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    return sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))


def _by_keyword(accounts: Iterable[ConstraintOutcome]) -> dict[str, list[ConstraintOutcome]]:
    found: dict[str, list[ConstraintOutcome]] = defaultdict(list)
    for account in accounts:
        found[account.constraint.keyword].append(account)
    return found


def _keyword(accounts: list[ConstraintOutcome]) -> dict[str, Any]:
    """One keyword: how often it became what, and for each reason where, in part unless there are few."""
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
            for reason, places in _largest_first(reasons)
        ]
    }


def coverage_lines(coverage: Coverage) -> Iterator[str]:
    """Coverage for a terminal: a line a kind, one for free-form fields, one for constraints."""
    for kind, counts in sorted(coverage.counts.items()):
        yield f"{kind}: " + ", ".join(f"{count} {how}" for how, count in _row(counts).items())
    found = dynamic_data(coverage)
    yield f"{found['dynamic']} of {found['fields']} fields take anything ({found['percent']} %), as the spec has it"
    outcomes = Counter(account.outcome for account in coverage.constraint_outcomes)
    yield "constraints: " + ", ".join(f"{outcomes[outcome]} {outcome}" for outcome in Outcome if outcomes[outcome])
