"""Run OpenAPI Generator: stock `protobuf-schema`, our own templates, one process.

The canonical spec goes in, fragments come out: one file with all messages and enums, one a service.
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
from pipeline.jvm.process import Process, java_command, start_process, unexpected_exit
from pipeline.model.diagnostics import Failure
from pipeline.model.json_writer import format_json
from pipeline.model.paths import ROOT
from pipeline.model.profile.profile import Limits

TEMPLATES = ROOT / "templates" / "proto"
# From the document to the value of a schema's keyword: components, schemas, the schema, its properties, the property.
_TO_PROPERTIES = 5


def run_generator(
    canonical: dict[str, Any], folder: Path, limits: Limits, environ: Mapping[str, str], options: Sequence[str] = ()
) -> list[str]:
    """Run the generator on a canonical spec.

    Args:
        canonical: the canonical spec.
        folder: where the generator works; not read by anything else.
        limits: seconds and heap megabytes.
        environ: to find Java and the jar.
        options: more options for the JVM.

    Returns:
        The text of each generated file, sorted by file name.

    Raises:
        Failure: `environment/…` or `generator/…`.
    """
    with start_generator(folder, limits, environ, options) as generation:
        generation.send_spec(canonical)
        return generation.read_texts()


class Generation:
    """A generator at work, or why there is none."""

    def __init__(self, output: Path, process: Process | None, failure: Failure | None) -> None:
        """Hold the folder that it writes to, and its process."""
        self._output = output
        self._process = process
        self._failure = failure

    def send_spec(self, canonical: dict[str, Any]) -> None:
        """Give it the canonical spec.

        Raises:
            Failure: `environment/…` where it could not be started.
        """
        printed = select_printed_values(canonical, find_printed_extensions(TEMPLATES.glob("*.mustache")))
        self._require_process().send_input(json.dumps(printed, ensure_ascii=False).encode())

    def read_texts(self) -> list[str]:
        """Wait for the text of each generated file, sorted by file name.

        Raises:
            Failure: `environment/…` or `generator/…`.
        """
        process = self._require_process()
        if code := process.wait():
            raise unexpected_exit(code, process.log)
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
    """Start the generator, which takes a second before it asks for its spec; it ends with the block.

    What keeps it from starting is told when it is given the spec, as what is wrong with the spec goes first. See
    `generate` for what goes in.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("fragments*"):
        shutil.rmtree(left, ignore_errors=True)
    # The generator of a build that was killed may still be writing, so each has a folder of its own.
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
            command = [*java_command(limits, environ, options), *arguments]
            log = folder / "generator.log"
            process = stack.enter_context(start_process(command, log, limits.generator_seconds, environ))
        except Failure as found:
            failure = found
        yield Generation(output, process, failure)


def format_canonical_spec(canonical: dict[str, Any]) -> str:
    """The canonical spec as it is written: one property a line, keys in the order given."""
    return format_json(canonical, _TO_PROPERTIES) + "\n"
