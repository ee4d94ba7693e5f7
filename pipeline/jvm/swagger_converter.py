"""Convert Swagger 2.0 documents to OpenAPI 3 with swagger-parser, which is part of OpenAPI Generator's jar.

A few lines of JavaScript call the converter alone. The generator itself would also resolve references, and move every
inline schema to a component of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pipeline.jvm.process import build_java_command, describe_exit, read_error, run_to_end
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap
from pipeline.model.profile.profile import Limits
from preprocess.swagger.check import check_swagger, is_swagger, prepare_swagger, select_converter_input
from preprocess.swagger.locate import locate_converted

SCRIPT = Path(__file__).with_suffix(".js")
UNCONVERTED = 65


def convert_to_openapi(document: LocatedMap, folder: Path, limits: Limits, environ: Mapping[str, str]) -> LocatedMap:
    """Convert a Swagger 2.0 document to OpenAPI 3, with the places of the original; return any other document as it is.

    The converter reads a copy of the document in the folder. `environ` tells where Java and the jar are.

    Raises:
        Failure: `spec/…`; `environment/…` or `generator/…` when the converter cannot run.
    """
    if not is_swagger(document):
        return document
    check_swagger(document)
    source = prepare_swagger(document)
    folder.mkdir(parents=True, exist_ok=True)
    source_path, result_path, log = folder / "swagger.json", folder / "openapi.json", folder / "swagger.log"
    source_path.write_text(json.dumps(select_converter_input(source), ensure_ascii=False), encoding="utf-8")
    result_path.unlink(missing_ok=True)
    shell = ["org.mozilla.javascript.tools.shell.Main", SCRIPT, source_path, result_path, UNCONVERTED]
    command = [str(word) for word in (*build_java_command(limits, environ), *shell)]
    code = run_to_end(command, log, limits.generator_seconds, environ)
    if code == UNCONVERTED:
        message = f"swagger-parser cannot convert it: {read_error(log)}"
        hint = "fix the errors that a validator for Swagger 2.0 reports, or convert it to OpenAPI 3 by other means"
        raise Failure(Diagnostic("spec/not-converted", message, document.place, hint))
    if code:
        raise describe_exit(code, log)
    result = locate_converted(json.loads(result_path.read_text(encoding="utf-8")), source)
    result_path.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return result
