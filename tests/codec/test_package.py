"""The codec is usable without the pipeline: it imports protobuf and googleapis-common-protos alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2] / "codec" / "python"
IMPORT_ALL = """
import importlib, json, pkgutil, sys
sys.path.insert(0, sys.argv[1])
before = {*sys.modules, *sys.stdlib_module_names}
package = importlib.import_module("spec2proto_codec")
for module in pkgutil.walk_packages(package.__path__, "spec2proto_codec."):
    importlib.import_module(module.name)
imported = [name for name in sys.modules if name.partition(".")[0] not in before]
print(json.dumps(imported))
"""


def test_the_codec_imports_protobuf_and_common_protos_alone() -> None:
    command = [sys.executable, "-I", "-c", IMPORT_ALL, str(ROOT)]
    imported = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert "spec2proto_codec.encode.encoder" in imported
    others = {".".join(name.split(".")[:2]) for name in imported if name.partition(".")[0] != "spec2proto_codec"}
    assert others <= {"google", "google.protobuf", "google._upb", "google.api", "google.rpc"}
