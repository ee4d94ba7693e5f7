"""Generate the gRPC services of Python, as a plugin of protoc and buf: grpcio-tools has no program for it.

Source: protobuf, `compiler/plugin.proto`: a CodeGeneratorRequest comes in, a CodeGeneratorResponse goes out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from google.protobuf.compiler.plugin_pb2 import CodeGeneratorRequest, CodeGeneratorResponse
from google.protobuf.descriptor_pb2 import FileDescriptorSet


def respond(request: CodeGeneratorRequest) -> CodeGeneratorResponse:
    """Run the generator inside grpcio-tools and return its files, or its error."""
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    with tempfile.TemporaryDirectory() as folder:
        image, output = Path(folder) / "image.binpb", Path(folder) / "out"
        image.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        output.mkdir()
        command = [sys.executable, "-m", "grpc_tools.protoc", f"--descriptor_set_in={image}"]
        command += [f"--grpc_python_out={output}", *request.file_to_generate]
        process = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if process.returncode != 0:
            response.error = process.stderr.strip() or f"protoc ends with {process.returncode}"
        for path in sorted(output.rglob("*.py")):
            response.file.add(name=path.relative_to(output).as_posix(), content=path.read_text(encoding="utf-8"))
    return response


def main() -> None:
    """Read a request from the standard input and write the response."""
    request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(respond(request).SerializeToString())


if __name__ == "__main__":
    main()
