"""Run OpenAPI Generator: the stock generator `protobuf-schema` with the templates of this project, in one process.

Its input is the canonical spec. Its output are fragments: one file with all messages and enums, and one file per
service.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from pipeline.generate.template_input import find_printed_extensions, select_printed_values
from pipeline.jvm.process import Process, build_java_command, describe_exit, start_process
from pipeline.model.diagnostics import Failure
from pipeline.model.json_writer import format_json
from pipeline.model.paths import ROOT
from pipeline.model.profile.profile import Limits

TEMPLATES = ROOT / "templates" / "proto"
# The depth of a property in the canonical spec: components, schemas, the schema, its properties, the property.
_PROPERTY_DEPTH = 5


def run_generator(
    canonical: dict[str, Any], folder: Path, limits: Limits, environ: Mapping[str, str], options: Sequence[str] = ()
) -> list[str]:
    """Run the generator on a canonical spec, and return the text of each generated file, sorted by file name.

    Args:
        canonical: the canonical spec.
        folder: the folder that the generator works in.
        limits: the seconds and the heap of the generator.
        environ: the environment variables, to find Java and the jar.
        options: further options for the JVM.

    Raises:
        Failure: `environment/…` or `generator/…`.
    """
    with start_generator(folder, limits, environ, options) as generation:
        generation.send_spec(canonical)
        return generation.read_texts()


class Generation:
    """A running generator, or the failure that prevented its start."""

    def __init__(self, output: Path, process: Process | None, failure: Failure | None) -> None:
        """Keep the output folder of the generator and its process."""
        self._output = output
        self._process = process
        self._failure = failure

    def send_spec(self, canonical: dict[str, Any]) -> None:
        """Send the canonical spec to the generator.

        Raises:
            Failure: `environment/…` if the generator could not be started.
        """
        printed = select_printed_values(canonical, find_printed_extensions(TEMPLATES.glob("*.mustache")))
        self._require_process().send_input(json.dumps(printed, ensure_ascii=False).encode())

    def read_texts(self) -> list[str]:
        """Wait for the generator, and return the text of each generated file, sorted by file name.

        Raises:
            Failure: `environment/…` or `generator/…`.
        """
        process = self._require_process()
        if code := process.wait():
            raise describe_exit(code, process.log)
        fragments = self._output.rename(self._output.with_name("fragments"))
        return [path.read_text(encoding="utf-8") for path in sorted(fragments.rglob("*.proto"))]

    def _require_process(self) -> Process:
        if self._process is None:
            raise self._failure or AssertionError
        return self._process


@contextmanager
def start_generator(
    folder: Path, limits: Limits, environ: Mapping[str, str], options: Sequence[str] = ()
) -> Iterator[Generation]:
    """Start the generator, which loads its classes and then waits for its spec; it ends with the block.

    A failure to start is raised only when the spec is sent: diagnostics of the specification come first. See
    `run_generator` for the arguments.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old_output in folder.glob("fragments*"):
        shutil.rmtree(old_output, ignore_errors=True)
    # The generator of a killed build may still be writing, so each generator has its own folder.
    output = Path(tempfile.mkdtemp(prefix="fragments-", dir=folder))
    arguments = [
        "org.openapitools.codegen.OpenAPIGenerator",
        "generate",
        "--generator-name=protobuf-schema",
        "--input-spec=/dev/stdin",
        f"--template-dir={TEMPLATES}",
        f"--output={output}",
        "--global-property=models,apis",
        "--additional-properties=aggregateModelsName=all",
    ]
    with ExitStack() as stack:
        process = failure = None
        try:
            command = [*build_java_command(limits, environ, options), *arguments]
            log = folder / "generator.log"
            process = stack.enter_context(start_process(command, log, limits.generator_seconds, environ))
        except Failure as error:
            failure = error
        yield Generation(output, process, failure)


def format_canonical_spec(canonical: dict[str, Any]) -> str:
    """Return the canonical spec as JSON, with one property on each line and the keys in their order."""
    return format_json(canonical, _PROPERTY_DEPTH) + "\n"
