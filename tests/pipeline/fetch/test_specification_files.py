"""Local files: whether they can be read, how large they are, and whether they look like OpenAPI."""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.fetch.specification import FetchedSpec
from pipeline.model.paths import ROOT

from .fetching import HTML, LIMIT, SPEC, local, refused


def test_an_override_file_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "my spec.yaml"
    path.write_bytes(SPEC)
    assert local(path) == FetchedSpec(SPEC, str(path), hashlib.sha256(SPEC).hexdigest(), "file")


@pytest.mark.parametrize("name", ["absent.yaml", "file.yaml/below"])
def test_a_missing_file(tmp_path: Path, name: str) -> None:
    (tmp_path / "file.yaml").write_bytes(SPEC)
    with refused("not-found-file") as found:
        local(tmp_path / name)
    assert found[0].place.file == str(tmp_path / name)


def test_what_is_no_readable_file(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path in (tmp_path, loop, tmp_path / "a\0b", tmp_path / ("a" * 5000)):
        with refused("unreadable"):
            local(path)


def test_the_size_limit_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_bytes(SPEC)
    assert local(path, max_bytes=len(SPEC)).content == SPEC
    with refused("too-large"):
        local(path, max_bytes=len(SPEC) - 1)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no endless file on this system")
def test_an_endless_file_ends_at_the_limit() -> None:
    with refused("too-large"):
        local("/dev/zero")


def test_gzip_files_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml.gz"
    path.write_bytes(gzip.compress(SPEC[:20]) + gzip.compress(SPEC[20:]))
    fetched = local(path)
    assert fetched.content == SPEC
    assert fetched.sha256 == hashlib.sha256(SPEC).hexdigest()


def test_a_gzip_file_that_is_small_until_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml.gz"
    path.write_bytes(gzip.compress(SPEC + b"\n" * LIMIT))
    assert path.stat().st_size < 200
    with refused("too-large"):
        local(path)


def test_damaged_gzip_files(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml.gz"
    packed = gzip.compress(SPEC)
    path.write_bytes(packed[:-10])
    with refused("truncated"):
        local(path)
    path.write_bytes(packed[:-8] + b"\0\0\0\0" + packed[-4:])
    with refused("unreadable"):
        local(path)
    path.write_bytes(packed[:10] + b"\xff" * 20)
    with refused("unreadable"):
        local(path)


# What the content looks like


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfopenapi: 3.0.0\n",
        b"# comment\n---\ninfo: {}\n'swagger' : '2.0'\n",
        b"info: {}\r\nopenapi: 3.0.0\r\n",
        b'{"info": {}, "openapi": "3.0.0"}\n',
        b'{\n  "swagger": "2.0"\n}',
        b"{openapi: 3.0.0} # YAML in flow style\n",
    ],
)
def test_openapi_documents_are_recognised(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "spec"
    path.write_bytes(content)
    assert local(path).content == content


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "truncated"),
        (b" \n\xef\xbb\xbf"[:2], "truncated"),
        (b"\xef\xbb\xbf\n", "truncated"),
        (b'{"openapi": "3.0.0", "paths": {"/a": {', "truncated"),
        (HTML, "web-page"),
        (b"\n  <html>openapi: 1", "web-page"),
        (b'<?xml version="1.0"?><Error>\nopenapi: AccessDenied</Error>', "web-page"),
        (b"info:\n  openapi: 3.0.0\n", "not-openapi"),
        (b"paths: {}\n# openapi: 3.0.0\n", "not-openapi"),
        (b'{"myopenapi": 1}', "not-openapi"),
        (b"\x7fELF\x00\x01", "not-openapi"),
        ("openapi: 3.0.0\n".encode("utf-16"), "not-openapi"),
    ],
)
def test_what_is_no_whole_openapi_document(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "spec"
    path.write_bytes(content)
    with refused(code):
        local(path)


# What a local build costs


def test_files_need_no_http_client(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_bytes(SPEC)
    program = (
        "import sys; from pipeline.fetch.specification import fetch_spec;"
        "from pipeline.model.profile.profile import SpecSource;"
        f"fetch_spec(SpecSource(), override={str(path)!r}, mirror=None, max_bytes=100);"
        "print(sorted({'httpx', 'stamina', 'asyncio', 'platformdirs'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
