"""Swagger 2.0 documents become OpenAPI 3 by swagger-parser's converter, which OpenAPI Generator's jar holds.

The converter is called as it is, by a few lines of JavaScript: the generator's own way to it would follow references,
and give every inline schema a name and a place of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pipeline.jvm.process import java_command, read_error, run_to_end, unexpected_exit
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap
from pipeline.model.profile.profile import Limits
from preprocess.swagger.check import check_swagger, is_swagger, prepare_swagger, select_converter_input
from preprocess.swagger.locate import locate_converted

SCRIPT = Path(__file__).with_suffix(".js")
UNCONVERTED = 65


def convert_to_openapi(document: LocatedMap, folder: Path, limits: Limits, environ: Mapping[str, str]) -> LocatedMap:
    """The same document if it is no Swagger, else what it is in OpenAPI 3, with the places of the original.

    Args:
        document: as read.
        folder: where the converter works: it is given a copy of the document, never the document's own path.
        limits: seconds and heap megabytes.
        environ: to find Java and the jar.

    Raises:
        Failure: `spec/…`; `environment/…` or `generator/…` when the converter cannot run.
    """
    if not is_swagger(document):
        return document
    check_swagger(document)
    source = prepare_swagger(document)
    folder.mkdir(parents=True, exist_ok=True)
    read, made, log = folder / "swagger.json", folder / "openapi.json", folder / "swagger.log"
    read.write_text(json.dumps(select_converter_input(source), ensure_ascii=False), encoding="utf-8")
    made.unlink(missing_ok=True)
    shell = ["org.mozilla.javascript.tools.shell.Main", SCRIPT, read, made, UNCONVERTED]
    command = [str(part) for part in (*java_command(limits, environ), *shell)]
    code = run_to_end(command, log, limits.generator_seconds, environ)
    if code == UNCONVERTED:
        message = f"swagger-parser cannot convert it: {read_error(log)}"
        hint = "mend what a validator for Swagger 2.0 finds, or convert it to OpenAPI 3 by other means"
        raise Failure(Diagnostic("spec/not-converted", message, document.place, hint))
    if code:
        raise unexpected_exit(code, log)
    result = locate_converted(json.loads(made.read_text(encoding="utf-8")), source)
    made.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return result
