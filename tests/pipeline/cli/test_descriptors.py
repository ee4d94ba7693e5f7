"""`spec2proto descriptors` on a committed result."""

from __future__ import annotations

from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

from tests.support import spec2proto


def test_descriptors_come_with_their_imports(tmp_path: Path) -> None:
    output = tmp_path / "image.binpb"
    done = spec2proto("descriptors", "--profile", "opensearch", "--output", output, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = FileDescriptorSet.FromString(output.read_bytes())
    assert "google/protobuf/descriptor.proto" in {file.name for file in found.file}
