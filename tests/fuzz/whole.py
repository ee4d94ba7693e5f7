"""What is left of a trial after preprocess: one JVM prints many contracts, then each is assembled and checked."""

from __future__ import annotations

import json
import os
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc

from pipeline.generate.assemble import assemble_files, parse_fragments
from pipeline.generate.generator import TEMPLATES
from pipeline.generate.template_input import find_printed_extensions, select_printed_values
from pipeline.jvm.process import build_java_command, run_to_end
from pipeline.model.diagnostics import Failure
from pipeline.model.profile.profile import Limits
from postprocess.binding.writer import format_binding
from postprocess.checks.http_annotations import check_http
from postprocess.checks.protovalidate_options import check_options
from postprocess.coverage.gate import check_coverage, collect_compiled_elements
from postprocess.lock.verify import check_lock
from postprocess.round_trip.check import RoundTripResult, check_round_trip
from postprocess.tools.imports import INCLUDE, write_validate
from preprocess.constraints.plan import plan_options
from preprocess.trace.walk import trace_schemas
from tests.fuzz.trial import Made, Trial, guarded

BATCH_SECONDS = 600
LIMITS = Limits(generator_heap_mb=1024)
_PROTOC = Path(protoc.__file__).parent / "_proto"


def printed_by_the_generator(made: dict[int, Made], folder: Path) -> dict[int, list[str]]:
    """The fragments of many contracts, by one run of the generator; none where it failed on one.

    Args:
        made: by seed.
        folder: where the generator works.
    """
    extensions = find_printed_extensions(TEMPLATES.glob("*.mustache"))
    configs = []
    for seed, item in made.items():
        spec, config = folder / f"{seed}.spec.json", folder / f"{seed}.json"
        printed = select_printed_values(item.canonical, extensions)
        spec.write_text(json.dumps(printed, ensure_ascii=False), encoding="utf-8")
        wanted = {
            "generatorName": "protobuf-schema",
            "inputSpec": str(spec),
            "outputDir": str(folder / f"{seed}"),
            "templateDir": str(TEMPLATES),
            "globalProperties": {"models": "", "apis": ""},
            "additionalProperties": {"aggregateModelsName": "all"},
        }
        config.write_text(json.dumps(wanted), encoding="utf-8")
        configs.append(str(config))
    main = "org.openapitools.codegen.OpenAPIGenerator"
    command = [*build_java_command(LIMITS, os.environ), main, "batch", "--threads=2", *configs]
    run_to_end(command, folder / "batch.log", BATCH_SECONDS, os.environ)
    return {
        seed: [path.read_text(encoding="utf-8") for path in sorted((folder / f"{seed}").rglob("*.proto"))]
        for seed in made
    }


def finished(made: Made, texts: list[str], folder: Path) -> Trial:
    """Assemble, compile and check one contract."""
    return guarded(lambda: _finished(made, texts, folder))


def _finished(made: Made, texts: list[str], folder: Path) -> Trial:
    if not texts:
        return Trial(fault="the generator printed nothing")
    profile, done = made.inputs.profile, made.done
    try:
        protos = assemble_files(parse_fragments(texts), done.contract, done.services, profile)
    except Failure as failure:
        return Trial(fault=f"not assembled: {failure}")
    descriptors = _compiled(protos, folder)
    if descriptors is None:
        return Trial(fault="protoc refuses the protos: what it says is in the output")
    own = FileDescriptorSet(file=[file for file in descriptors.file if file.name in protos])
    diagnostics = check_lock(own, done.lock) + check_http(own, done.contract, wanted=True)
    trace = trace_schemas(done.declared, done.contract, collect_compiled_elements(own, done.lock))
    plan = plan_options(done.declared, done.contract, trace)
    diagnostics += check_coverage(done.declared, done.contract, trace, plan).diagnostics
    diagnostics += check_options(own, done.contract, plan)
    binding = json.loads(format_binding(made.done.contract, profile.package))
    trips = RoundTripResult() if diagnostics else check_round_trip(descriptors, binding, done.contract)
    return Trial(codes=tuple(sorted({diagnostic.code for diagnostic in diagnostics + trips.diagnostics})))


def _compiled(protos: dict[str, str], folder: Path) -> FileDescriptorSet | None:
    """Compile within this process, as hundreds are compiled; None where it refuses them."""
    for name, text in protos.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    write_validate(folder)
    output = folder / "descriptors.binpb"
    include = [f"-I{path}" for path in (folder, _PROTOC, INCLUDE)]
    command = ["protoc", *include, "--include_imports", f"--descriptor_set_out={output}", *protos]
    if protoc.main(command) != 0:
        return None
    return FileDescriptorSet.FromString(output.read_bytes())
