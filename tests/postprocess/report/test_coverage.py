"""What the report says of coverage and constraints: counts, the share of free-form fields, reasons with places."""

from __future__ import annotations

import json

from pipeline.model.contract import Contract, Exclusion
from pipeline.model.diagnostics import Diagnostic, Place, Severity
from postprocess.coverage.gate import Coverage
from postprocess.report.coverage import EXAMPLES, RARE, build_coverage_data, format_coverage
from postprocess.report.data import Report, build_report_data, format_report
from postprocess.report.markdown import render_markdown
from postprocess.round_trip.check import RoundTripResult
from tests.postprocess.specs import convert_schemas

NAME = "/components/schemas/Sample/properties/name"
SAMPLE = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "maxLength": 9, "not": {"const": "|"}},
        "open": {"type": "object"},
        "any": {},
        "other": {},
    },
}


def coverage() -> Coverage:
    return convert_schemas({"Sample": SAMPLE}).coverage()


def report(found: Coverage) -> Report:
    spec = {"origin": "spec.json", "sha256": "0", "how": "file"}
    return Report("sample", spec, Contract({}, {}, ()), [], [], found, RoundTripResult(), {}, {})


def test_the_share_of_free_form_fields_is_told_with_reasons() -> None:
    assert build_coverage_data(coverage())["dynamic"] == {
        "fields": 6,
        "dynamic": 3,
        "percent": 50.0,
        "reasons": {
            "no type declared": {"count": 2, "fields": ["Sample.any", "Sample.other"]},
            "an object without properties": {"count": 1, "fields": ["Sample.open"]},
        },
    }


def test_keywords_are_counted_and_have_their_places() -> None:
    found = build_coverage_data(coverage())["constraints"]
    assert list(found) == ["maxLength", "not", "required"]
    assert found["required"] == {"expressed": 1, "not_expressed_because": []}
    assert found["not"]["not-expressible"] == 1
    because = found["not"]["not_expressed_because"]
    assert [entry["count"] for entry in because] == [1]
    assert [place.partition(" ")[2] for place in because[0]["places"]] == [NAME]


def test_a_keyword_of_many_places_shows_some() -> None:
    properties = {f"p{number}": {"type": "string", "maxLength": 9} for number in range(RARE + 1)}
    found = build_coverage_data(convert_schemas({"Sample": {"type": "object", "properties": properties}}).coverage())
    entry = found["constraints"]["maxLength"]["not_expressed_because"][0]
    assert (entry["count"], len(entry["places"])) == (RARE + 1, EXAMPLES)


def test_the_terminal_has_a_line_a_kind() -> None:
    assert list(format_coverage(coverage())) == [
        "operation: 1 typed",
        "property: 2 typed, 3 dynamic",
        "response: 1 typed",
        "schema: 1 typed",
        "3 of 6 fields accept any value (50.0 %), as the spec says",
        "constraints: 1 expressed, 2 not-expressible",
    ]


def test_the_report_for_people_has_both_tables() -> None:
    text = render_markdown(build_report_data(report(coverage())))
    assert "| property | 2 | 3 | 0 | 0 | 0 | 0 |" in text
    assert "3 of 6 fields (50.0 %) accept any value" in text
    assert "no type declared (2),\nan object without properties (1).\n" in text
    assert "| `required` | 1 | 0 | 0 | 0 |" in text
    assert "| `not` | 1 | protobuf has no conditions between values | spec.json:1:" in text


def test_nothing_in_scope_makes_no_table_of_constraints() -> None:
    text = render_markdown(build_report_data(report(Coverage())))
    assert "No field accepts any value." in text
    assert "## Constraints" not in text


def test_the_report_for_machines_is_json() -> None:
    data = json.loads(format_report(build_report_data(report(coverage()))))
    assert data["coverage"]["property"] == {"typed": 2, "dynamic": 3}
    assert data["dynamic"]["percent"] == 50.0


def test_notes_are_folded_by_code_and_what_is_left_out_by_rule() -> None:
    made = report(coverage())
    place = Place("spec.json", pointer="/paths/~1cards/get")
    made.diagnostics += [
        Diagnostic("http/body-of-get", "a body <b>", place, "call it", Severity.NOTE),
        Diagnostic("http/body-of-get", "b body", place, "call it", Severity.NOTE),
        Diagnostic("scope/odd", "odd scope", place, "look", Severity.WARNING),
    ]
    made.contract = Contract({}, {}, (), exclusions=(Exclusion(place, "operation-superseded", "superseded"),))
    text = render_markdown(build_report_data(made))
    diagnostics, _, rest = text.partition("## Notes")
    assert ("odd scope" in diagnostics, "body" in diagnostics) == (True, False)
    assert "<summary>2 of <code>http/body-of-get</code>, example: a body &lt;b&gt;</summary>" in rest
    assert "| b body | " in rest
    assert "<summary>1 by <code>operation-superseded</code></summary>" in rest
