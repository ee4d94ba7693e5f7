"""A plugin of protoc and buf for the gRPC services of Python: grpcio-tools has it inside, and not as a program.

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
    """What the generator inside grpcio-tools makes of the request; its complaint, where it makes nothing."""
    response = CodeGeneratorResponse(supported_features=CodeGeneratorResponse.FEATURE_PROTO3_OPTIONAL)
    with tempfile.TemporaryDirectory() as folder:
        image, output = Path(folder) / "image.binpb", Path(folder) / "out"
        image.write_bytes(FileDescriptorSet(file=request.proto_file).SerializeToString())
        output.mkdir()
        command = [sys.executable, "-m", "grpc_tools.protoc", f"--descriptor_set_in={image}"]
        command += [f"--grpc_python_out={output}", *request.file_to_generate]
        done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            response.error = done.stderr.strip() or f"protoc ends with {done.returncode}"
        for path in sorted(output.rglob("*.py")):
            response.file.add(name=path.relative_to(output).as_posix(), content=path.read_text(encoding="utf-8"))
    return response


def main() -> None:
    """Answer the request on the standard input."""
    request = CodeGeneratorRequest.FromString(sys.stdin.buffer.read())
    sys.stdout.buffer.write(respond(request).SerializeToString())


if __name__ == "__main__":
    main()
