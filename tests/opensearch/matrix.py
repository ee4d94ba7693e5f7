"""The guide's table of protos and OpenSearch versions: written from a report, never by hand.

`python -m tests.opensearch.matrix` renews it after `make protos`.
"""

from __future__ import annotations

import json
from typing import Any

from postprocess.report.version_matrix import format_cell, format_server
from tests.support import ROOT

GUIDE = ROOT / "docs" / "opensearch.md"
BEGIN, END = "<!-- versions: written by tests.opensearch.matrix -->\n", "<!-- versions end -->"


def table(report: dict[str, Any]) -> str:
    """The table of a report."""
    matrix = report["matrix"]
    rows = [["OpenSearch", *matrix["releases"]], ["---"] * (1 + len(matrix["releases"]))]
    rows += [[row["version"], *map(format_cell, row["cells"])] for row in matrix["versions"]]
    told = [f"\n{format_server(server)}\n" for server in matrix["servers"]]
    return "".join([*(f"| {' | '.join(row)} |\n" for row in rows), *told])


def written() -> str:
    """The table as the guide has it."""
    return GUIDE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


if __name__ == "__main__":
    text = GUIDE.read_text(encoding="utf-8")
    found = json.loads((ROOT / "generated" / "opensearch" / "report.json").read_text(encoding="utf-8"))
    GUIDE.write_text(text.replace(BEGIN + written(), BEGIN + table(found)), encoding="utf-8")
