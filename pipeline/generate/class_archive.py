"""Archive the classes of the JVM when the tools are installed, which saves each build one second of processor time.

`make setup` calls `python -m pipeline.generate.class_archive`. A Java without class archives works as before.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from pipeline.generate.generator import run_generator
from pipeline.jvm.process import ARCHIVE, find_java
from pipeline.model.diagnostics import Failure
from pipeline.model.profile.profile import Limits

_SCHEMAS = {
    "Kind": {"type": "string", "enum": ["KIND_UNSPECIFIED"], "x-proto-enum-name": "Kind", "x-proto-enum-values": []},
    "Node": {
        "type": "object",
        "x-proto-message-name": "Node",
        "properties": {
            "kind": {"$ref": "#/components/schemas/Kind", "x-proto-field-number": 1},
            "nodes": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}, "x-proto-field-number": 2},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}, "x-proto-field-number": 3},
        },
    },
}
_CONTENT = {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}
_OPERATION = {
    "operationId": "Get",
    "tags": ["Service"],
    "requestBody": {"content": _CONTENT},
    "responses": {"200": {"description": "OK", "content": _CONTENT}},
}
SMALL = {
    "openapi": "3.1.0",
    "info": {"title": "archive", "version": "1"},
    "servers": [{"url": "/"}],
    "paths": {"/Service/Get": {"post": _OPERATION}},
    "components": {"schemas": _SCHEMAS},
}


def main() -> None:
    """Create the archive by one run of the generator on a small spec."""
    target = ARCHIVE
    target.unlink(missing_ok=True)
    java = find_java(os.environ)
    subprocess.run([java, "-Xshare:dump"], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="spec2proto-") as folder:
        try:
            run_generator(SMALL, Path(folder), Limits(), os.environ, [f"-XX:ArchiveClassesAtExit={target}"])
        except Failure:
            target.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
