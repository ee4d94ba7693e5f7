"""The stages of a build, in their order.

    fetch → up to date? → STAGES: read, convert, preprocess, constrain, generate, assemble, check, report → promote

`pipeline.build.build` does what stands outside `STAGES`: it fetches the specification, ends early if nothing changed,
and promotes the result. Each stage takes the record of the stage before it, and returns a record with more values. No
stage writes outside the work folder.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.build import records
from pipeline.build.checks import ExpectedChecks, apply_acceptances, check_protos, start_tools
from pipeline.build.fingerprint import list_tool_versions
from pipeline.build.inputs import Inputs
from pipeline.build.limits import allow_deep_recursion
from pipeline.build.reports import collect_report_inputs, read_history, write_report
from pipeline.build.worker import start_worker
from pipeline.fetch.specification import FetchedSpec
from pipeline.generate.assemble import assemble_files, parse_fragments
from pipeline.generate.generator import format_canonical_spec, start_generator
from pipeline.jvm.swagger_converter import convert_to_openapi
from pipeline.model.document.located import read_document
from pipeline.model.identifiers import format_snake
from pipeline.model.lock.text import format_lock
from pipeline.model.profile.defaults import fill_defaults
from pipeline.model.records import extend_record, run_steps
from pipeline.progress import Progress
from pipeline.workspace import BINDING, LOCK
from postprocess.binding.writer import format_binding
from postprocess.coverage.gate import check_coverage
from postprocess.lock.descriptors import descriptors_of_lock
from postprocess.report.coverage import format_coverage
from postprocess.report.data import Report, format_round_trip
from postprocess.round_trip.check import check_round_trip
from preprocess.canonical.canonical import build_canonical_spec
from preprocess.passes import convert_document, plan_contract
from preprocess.records import ContractResult
from preprocess.swagger.check import is_swagger

CANONICAL = "canonical.json"


def run_stages(inputs: Inputs, work: Path, progress: Progress) -> records.Reported:
    """Run all stages.

    Raises:
        Failure: bad input or a bad environment. A refused result raises nothing: its diagnostics say so.
    """
    with ExitStack() as resources:
        start = records.BuildStart(inputs=inputs, work=work, progress=progress, resources=resources)
        reported: records.Reported = run_steps(STAGES, start)
    return reported


def read_contract(inputs: Inputs, work: Path, progress: Progress) -> ContractResult:
    """Run the stages up to the numbered contract, without its constraints; see `run_stages`."""
    with ExitStack() as resources:
        start = records.BuildStart(inputs=inputs, work=work, progress=progress, resources=resources)
        documents = convert_swagger(read_documents(start))
    inputs, document = fill_inputs(inputs, documents.document), documents.document
    with allow_deep_recursion(document.place):
        return convert_document(document, inputs.profile, inputs.lock, documents.overlays, partial=inputs.partial)


def read_documents(build: records.BuildStart) -> records.Documents:
    """Parse the specification and the overlays."""
    inputs = build.inputs
    with build.progress.stage("read", f"{len(inputs.spec.content) / 1e6:.1f} MB from {inputs.spec.origin}"[:58]):
        limits, name = inputs.profile.limits, name_document(inputs.spec)
        document = read_document(inputs.spec.content, name, deepest=limits.nesting, most=limits.values)
        overlays = [read_document(text, path) for path, text in inputs.overlays.items()]
    return extend_record(records.Documents, build, document=document, overlays=overlays)


def name_document(spec: FetchedSpec) -> str:
    """Return the name of the specification in places: the path of a local file, else the name of the download."""
    return spec.origin if spec.how == "file" else spec.origin.rpartition("/")[2]


def convert_swagger(build: records.Documents) -> records.Documents:
    """Convert a Swagger 2.0 document to OpenAPI 3; any other document stays."""
    if not is_swagger(build.document):
        return build
    with build.progress.stage("convert", "Swagger 2.0 to OpenAPI 3, swagger-parser"):
        inputs = build.inputs
        document = convert_to_openapi(build.document, build.work, inputs.profile.limits, inputs.environ)
    return replace(build, document=document)


def start_generator_process(build: records.Documents) -> records.GeneratorStarted:
    """Start the generator, which loads its classes while this process converts the document."""
    inputs = build.inputs
    generator = start_generator(build.work, inputs.profile.limits, inputs.environ)
    return extend_record(records.GeneratorStarted, build, generation=build.resources.enter_context(generator))


def convert_contract(build: records.GeneratorStarted) -> records.Converted:
    """Convert the document to a numbered contract."""
    with build.progress.stage("preprocess", "scope, composition, unions, names, numbers"):
        inputs, document = fill_inputs(build.inputs, build.document), build.document
        with allow_deep_recursion(document.place):
            result = convert_document(document, inputs.profile, inputs.lock, build.overlays, partial=inputs.partial)
    contract, changes = result.contract, len(result.events)
    build.progress.detail(f"{len(contract.messages)} messages, {len(contract.enums)} enums, {changes} changes")
    build.progress.detail(f"{len(contract.exclusions)} places excluded by rules")
    return extend_record(records.Converted, build, inputs=inputs, converted=result)


def start_round_trip(build: records.Converted) -> records.RoundTripStarted:
    """Make the binding, and start the round trip with the descriptors that the lock expects."""
    contract = build.converted.contract
    expected = descriptors_of_lock(build.converted.lock)
    binding = format_binding(contract, build.inputs.profile.package)
    worker = start_worker(lambda: check_round_trip(expected, json.loads(binding), contract))
    trips = build.resources.enter_context(worker)
    return extend_record(records.RoundTripStarted, build, expected=expected, binding=binding, expected_trips=trips)


def constrain_contract(build: records.RoundTripStarted) -> records.Preprocessed:
    """Trace the specification through the contract, and plan its constraints."""
    stage = build.progress.stage("constrain", "trace, constraints as options of protovalidate")
    with stage, allow_deep_recursion(build.document.place):
        result = plan_contract(build.converted)
    return extend_record(records.Preprocessed, build, result=result)


def fill_inputs(inputs: Inputs, document: Mapping[str, Any]) -> Inputs:
    """Return the inputs with the defaults that the document decides: package and file names, also in an empty lock."""
    published_package = inputs.lock.package if inputs.lock.messages else None
    profile = fill_defaults(inputs.profile, extract_title(document), published_package)
    lock = inputs.lock if published_package else inputs.lock.model_copy(update={"package": profile.package})
    return replace(inputs, profile=profile, lock=lock)


def extract_title(document: Mapping[str, Any]) -> str:
    """Return the title of a document in snake case, from its first letter on."""
    info = document.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    return format_snake(str(title or "")).lstrip("0123456789_")


def send_canonical_spec(build: records.Preprocessed) -> records.SpecSent:
    """Send the canonical spec to the generator; while it works, keep the spec and make the text of the lock."""
    result, profile = build.result, build.inputs.profile
    canonical = build_canonical_spec(result.contract, result.services, profile, build.inputs.comments)
    build.generation.send_spec(canonical)
    (build.work / CANONICAL).write_text(format_canonical_spec(canonical), encoding="utf-8")
    return extend_record(records.SpecSent, build, canonical=canonical, lock_text=format_lock(result.lock))


def check_contract(build: records.SpecSent) -> records.ContractChecked:
    """Check the coverage of the contract with the descriptors that the lock expects, while the generator works."""
    with build.progress.stage("verify", "coverage of the specification"):
        result = build.result
        coverage = check_coverage(result.declared, result.contract, result.trace, result.plan)
    return extend_record(records.ContractChecked, build, coverage=coverage)


def assemble_protos(build: records.ContractChecked) -> records.Assembled:
    """Wait for the fragments of the generator, and assemble them to proto files."""
    schemas = build.canonical["components"]["schemas"]
    with build.progress.stage("generate", f"OpenAPI Generator, {len(schemas)} schemas"):
        texts = build.generation.read_texts()
    result = build.result
    with build.progress.stage("assemble", "proto files"):
        files = {LOCK: build.lock_text, BINDING: build.binding}
        files |= assemble_files(parse_fragments(texts), result.contract, result.services, build.inputs.profile)
    return extend_record(records.Assembled, build, files=files)


def start_check_tools(build: records.Assembled) -> records.ToolsStarted:
    """Start protoc and buf on the proto files."""
    pool = build.resources.enter_context(ThreadPoolExecutor())
    tools = start_tools(build.protos, build.result, build.expected, build.work / "protos", pool)
    return extend_record(records.ToolsStarted, build, tools=tools)


def prepare_report(build: records.ToolsStarted) -> records.ReportPrepared:
    """Collect what the report shows beside the checks, while protoc and buf work."""
    inputs = collect_report_inputs(build.inputs, build.result, build.encode_files())
    return extend_record(records.ReportPrepared, build, report_inputs=inputs)


def check_result(build: records.ReportPrepared) -> records.Checked:
    """Check the protos, and record in the lock what the profile accepts."""
    with build.progress.stage("check", "protoc, lock, buf lint, buf breaking, round trip"):
        result = build.result
        expected = ExpectedChecks(build.coverage, build.expected_trips)
        diagnostics, coverage, trips = check_protos(build.tools, build.protos, result, expected, build.binding)
        diagnostics, events, lock = apply_acceptances(diagnostics, result)
    build = replace(build, coverage=coverage)
    diagnostics = [*result.diagnostics, *diagnostics]
    checked = extend_record(records.Checked, build, trips=trips, diagnostics=tuple(diagnostics))
    if not events and lock == result.lock:
        return checked
    result = replace(result, lock=lock, events=tuple(sorted({*result.events, *events})))
    checked = replace(checked, result=result, files=build.files | {LOCK: format_lock(lock)})
    return replace(checked, report_inputs=collect_report_inputs(build.inputs, result, checked.encode_files()))


def report_result(build: records.Checked) -> records.Reported:
    """Write the report of the build to the work folder."""
    for line in (*format_coverage(build.coverage), *format_round_trip(build.trips)):
        build.progress.detail(line)
    spec = build.inputs.spec
    report = Report(
        profile=build.inputs.profile.name,
        spec={"origin": spec.origin, "sha256": spec.sha256, "how": spec.how},
        contract=build.result.contract,
        events=list(build.result.events),
        diagnostics=list(build.diagnostics),
        coverage=build.coverage,
        trips=build.trips,
        tools=list_tool_versions(),
        timings=build.progress.timings,
        matrix=build.report_inputs.matrix,
        material=build.report_inputs.material,
        pages=build.report_inputs.pages,
        history=read_history(build.work),
    )
    return extend_record(records.Reported, build, report=write_report(report, build.work))


STAGES: tuple[Callable[[Any], Any], ...] = (
    read_documents,
    convert_swagger,
    start_generator_process,
    convert_contract,
    start_round_trip,
    constrain_contract,
    send_canonical_spec,
    check_contract,
    assemble_protos,
    start_check_tools,
    prepare_report,
    check_result,
    report_result,
)
