"""Fetching against a real HTTP server on this host, real files, and caches damaged on disk."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import pytest

from pipeline.download import MAX_REDIRECTS, Patience
from pipeline.fetch import BESIDE, FetchedSpec, fetch_spec, mirror_folder
from pipeline.model.findings import ExitCode, Failure, Finding
from pipeline.model.profile import ROOT, Release, SpecSource

SPEC = b"openapi: 3.1.0\ninfo: {title: a}\npaths: {}\n"
NEWER = b"openapi: 3.1.0\ninfo: {title: b}\npaths: {}\n"
HTML = b"<!DOCTYPE html>\n<html><body>openapi: log in first</body></html>\n"
RELEASE = Release(repository="owner/name", tag="main-latest", asset="api.yaml")
SOURCE = SpecSource(release=RELEASE)
ASSET_PATH = "/owner/name/releases/download/main-latest/api.yaml"
QUICK = Patience(total=5, silence=2, attempts=3, first_wait=0.01, longest_wait=0.02, longest_retry_after=2)
LIMIT = 10_000

Route = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers from the routes of its site and notes what was asked."""

    protocol_version = "HTTP/1.1"
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers), time.monotonic()))
        self.server.routes[self.path](self)

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nothing: the tests look at `asked`."""


class Site(ThreadingHTTPServer):
    """A server with routes that a test sets, and a list of what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.routes: dict[str, Route] = {}
        self.asked: list[tuple[str, dict[str, str], float]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: clients that give up are what some tests are about."""


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        site.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy between the tests and their server; and no certificates, as loading those of the system takes longer."""
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as started:
        yield started


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@contextmanager
def refused(code: str, exit_code: ExitCode = ExitCode.BAD_INPUT) -> Iterator[list[Finding]]:
    """Expects a failure with exactly this code; its finding is in the list afterwards."""
    found: list[Finding] = []
    with pytest.raises(Failure) as caught:
        yield found
    found += caught.value.findings
    assert [finding.code for finding in found] == [f"fetch/{code}"]
    assert caught.value.exit_code is exit_code
    assert found[0].hint
    assert found[0].message[0] == found[0].message[0].lower()
    assert not found[0].message.endswith(".")


def local(path: Path | str, *, max_bytes: int = LIMIT) -> FetchedSpec:
    return fetch_spec(SOURCE, override=str(path), mirror=None, max_bytes=max_bytes)


def release(
    site: Site | str,
    cache: Path,
    *,
    source: SpecSource = SOURCE,
    patience: Patience = QUICK,
    max_bytes: int = LIMIT,
) -> FetchedSpec:
    base = site if isinstance(site, str) else site.url
    return fetch_spec(
        source, override=None, mirror=None, max_bytes=max_bytes, cache=cache, base_url=base, patience=patience
    )


def serve(body: bytes, **headers: str) -> Route:
    return lambda handler: handler.reply(200, body, **headers)


def in_turn(*routes: Route) -> Route:
    """The first route for the first request, and so on; the last one for all that follow."""
    turns = count()

    def route(handler: Handler) -> None:
        routes[min(next(turns), len(routes) - 1)](handler)

    return route


def status(number: int, **headers: str) -> Route:
    return lambda handler: handler.reply(number, b"no", **headers)


def versioned(handler: Handler) -> None:
    """The spec, or 304 to who has it."""
    known = handler.headers.get("If-None-Match") == '"one"'
    handler.reply(304 if known else 200, b"" if known else SPEC, ETag='"one"')


def redirect(target: str) -> Route:
    return lambda handler: handler.reply(302, b"moved", Location=target)


def half(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(2 * len(SPEC)))
    handler.end_headers()
    handler.wfile.write(SPEC)
    handler.close_connection = True


def unused_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def cached(cache: Path, name: str) -> Path:
    (path,) = cache.rglob(name)
    return path


# Local files


def test_an_override_file_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "my spec.yaml"
    path.write_bytes(SPEC)
    assert local(path) == FetchedSpec(SPEC, str(path), hashlib.sha256(SPEC).hexdigest(), "file")


def test_the_profiles_file_is_relative_to_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_bytes(SPEC)
    with refused("not-openapi") as found:
        fetch_spec(SpecSource(file="pyproject.toml"), override=None, mirror=None, max_bytes=LIMIT)
    assert found[0].place.file == "pyproject.toml"
    assert (ROOT / "pyproject.toml").is_file()


def test_sources_are_asked_in_order(tmp_path: Path, site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = serve(SPEC + b"# release\n")
    (tmp_path / "api.yaml").write_bytes(SPEC + b"# mirror\n")
    (tmp_path / "file.yaml").write_bytes(SPEC + b"# file\n")
    (tmp_path / "override.yaml").write_bytes(SPEC + b"# override\n")
    both = SpecSource(file=str(tmp_path / "file.yaml"), release=RELEASE)

    def how(source: SpecSource, override: str | None, mirror: Path | None) -> tuple[str, str]:
        fetched = fetch_spec(
            source, override=override, mirror=mirror, max_bytes=LIMIT, cache=cache, base_url=site.url, patience=QUICK
        )
        return fetched.how, fetched.content.split()[-1].decode()

    assert how(both, str(tmp_path / "override.yaml"), tmp_path) == ("file", "override")
    assert how(both, "", tmp_path) == ("file", "file")
    assert how(SOURCE, None, tmp_path) == ("mirror", "mirror")
    assert how(SOURCE, None, None) == ("release", "release")
    assert how(both, f"{site.url}{ASSET_PATH}", tmp_path) == ("url", "release")


def test_a_profile_without_a_source_needs_an_override() -> None:
    with refused("no-source"):
        fetch_spec(SpecSource(), override=None, mirror=None, max_bytes=LIMIT)


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


def test_a_pinned_hash_holds_for_the_profiles_source_only(tmp_path: Path) -> None:
    path = tmp_path / "api.yaml"
    path.write_bytes(SPEC)
    right = SpecSource(file=str(path), release=RELEASE, sha256=hashlib.sha256(SPEC).hexdigest())
    wrong = SpecSource(file=str(path), release=RELEASE, sha256="0" * 64)
    assert fetch_spec(right, override=None, mirror=None, max_bytes=LIMIT).sha256 == right.sha256
    assert fetch_spec(wrong, override=str(path), mirror=None, max_bytes=LIMIT).sha256 == right.sha256
    with refused("hash-mismatch") as found:
        fetch_spec(wrong, override=None, mirror=None, max_bytes=LIMIT)
    assert right.sha256 is not None
    assert right.sha256 in found[0].message
    with refused("hash-mismatch"):
        fetch_spec(wrong.model_copy(update={"file": None}), override=None, mirror=tmp_path, max_bytes=LIMIT)


# Mirrors


def test_a_mirror_stands_in_for_the_release(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(SPEC)
    fetched = fetch_spec(SOURCE, override=None, mirror=tmp_path, max_bytes=LIMIT)
    assert (fetched.content, fetched.how, fetched.origin) == (SPEC, "mirror", str(tmp_path / "api.yaml"))


@pytest.mark.parametrize("folder", ["", "absent", "file"])
def test_a_mirror_without_the_asset_is_refused(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_bytes(SPEC)
    with refused("mirror") as found:
        fetch_spec(SOURCE, override=None, mirror=tmp_path / folder, max_bytes=LIMIT)
    assert ("not a folder" in found[0].message) == bool(folder)
    assert "SPEC_MIRROR" in found[0].hint


def test_a_bad_spec_in_a_mirror_keeps_its_own_code(tmp_path: Path) -> None:
    (tmp_path / "api.yaml").write_bytes(HTML)
    with refused("web-page"):
        fetch_spec(SOURCE, override=None, mirror=tmp_path, max_bytes=LIMIT)


def test_the_mirror_variable_wins_even_when_nothing_is_there(tmp_path: Path) -> None:
    assert mirror_folder({"SPEC_MIRROR": str(tmp_path / "absent")}, RELEASE) == tmp_path / "absent"


def test_no_mirror_for_an_asset_that_lies_nowhere() -> None:
    absent = Release(repository="owner/name", tag="t", asset="no-such-asset.yaml")
    assert mirror_folder({}, absent) is None
    assert mirror_folder({"SPEC_MIRROR": ""}, absent) is None
    assert mirror_folder({}, None) is None


def test_the_folder_beside_the_repository_is_a_mirror() -> None:
    assets = sorted(BESIDE.glob("*.yaml")) if BESIDE.is_dir() else []
    if not assets:
        pytest.skip("no shared/spec beside the repository")
    beside = Release(repository="owner/name", tag="t", asset=assets[0].name)
    mirror = mirror_folder({}, beside)
    assert mirror == BESIDE
    fetched = fetch_spec(SpecSource(release=beside), override=None, mirror=mirror, max_bytes=100_000_000)
    assert fetched.content == assets[0].read_bytes()


# Downloads


def test_a_release_is_downloaded(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = serve(SPEC)
    fetched = release(site, cache)
    assert fetched == FetchedSpec(SPEC, f"{site.url}{ASSET_PATH}", hashlib.sha256(SPEC).hexdigest(), "release")
    assert [path for path, _, _ in site.asked] == [ASSET_PATH]


def test_a_tag_is_quoted(site: Site, cache: Path) -> None:
    site.routes["/owner/name/releases/download/a%2Fb%3F/api.yaml"] = serve(SPEC)
    tagged = SpecSource(release=Release(repository="owner/name", tag="a/b?", asset="api.yaml"))
    assert release(site, cache, source=tagged).content == SPEC


def test_redirects_are_followed(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect("/storage?signature=secret")
    site.routes["/storage?signature=secret"] = serve(SPEC)
    fetched = release(site, cache)
    assert fetched.content == SPEC
    assert fetched.origin == f"{site.url}{ASSET_PATH}"


def test_redirects_end(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect(ASSET_PATH)
    with refused("redirect", ExitCode.ENVIRONMENT):
        release(site, cache)
    assert len(site.asked) == MAX_REDIRECTS + 1


def test_redirects_stay_with_http(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect("ftp://127.0.0.1/api.yaml")
    with refused("redirect", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert "`ftp`" in found[0].message


@pytest.mark.skipif(not shutil.which("openssl"), reason="no openssl to make a certificate with")
def test_https_is_not_left(site: Site, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    secure = Site()
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    secure.routes[ASSET_PATH] = in_turn(serve(SPEC), redirect(f"{site.url}/api.yaml"))
    site.routes["/api.yaml"] = serve(SPEC)
    base = secure.url.replace("http:", "https:")
    with serving(secure):
        with refused("no-network", ExitCode.ENVIRONMENT) as found:
            release(base, cache)
        assert "certificate" in found[0].message.lower()
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert release(base, cache).content == SPEC
        with refused("redirect", ExitCode.ENVIRONMENT):
            release(base, cache)
    assert site.asked == []


def test_http_may_become_https_but_then_fails_for_its_own_reason(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = redirect(unused_url().replace("http:", "https:"))
    with refused("no-network", ExitCode.ENVIRONMENT):
        release(site, cache)


@pytest.mark.parametrize("number", [204, 206, 304, 401, 403, 404, 410])
def test_other_answers_are_refused_at_once(site: Site, cache: Path, number: int) -> None:
    site.routes[ASSET_PATH] = lambda handler: handler.reply(number)
    with refused("http-status", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert str(number) in found[0].message
    assert len(site.asked) == 1


def test_an_error_of_the_server_may_pass(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = in_turn(status(500), status(503), serve(SPEC))
    assert release(site, cache).content == SPEC
    assert len(site.asked) == 3


def test_an_error_that_stays_ends_after_the_last_attempt(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = status(502)
    with refused("http-status", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert "502 Bad Gateway" in found[0].message
    assert len(site.asked) == QUICK.attempts


def test_retry_after_is_honoured(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = in_turn(status(429, Retry_After="1"), status(429, Retry_After="0"), serve(SPEC))
    assert release(site, cache).content == SPEC
    first, second, third = (moment for _, _, moment in site.asked)
    assert 1.0 <= second - first < 1.5
    assert third - second < 0.5


@pytest.mark.parametrize("value", ["3600", formatdate(time.time() + 3600, usegmt=True)])
def test_a_long_retry_after_is_not_waited_for(site: Site, cache: Path, value: str) -> None:
    site.routes[ASSET_PATH] = status(429, Retry_After=value)
    with refused("http-status", ExitCode.ENVIRONMENT):
        release(site, cache)
    assert len(site.asked) == 1


@pytest.mark.parametrize("value", ["soon", "-1", "Mon, 99 Foo 2000", formatdate(0, usegmt=True)])
def test_a_strange_retry_after_is_only_a_retry(site: Site, cache: Path, value: str) -> None:
    site.routes[ASSET_PATH] = in_turn(status(503, Retry_After=value), serve(SPEC))
    assert release(site, cache).content == SPEC


def test_half_a_file_is_fetched_again(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = in_turn(half, serve(SPEC))
    assert release(site, cache).content == SPEC


def test_half_a_file_is_never_taken(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = half
    with refused("truncated", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert f"after {len(SPEC)} bytes" in found[0].message
    assert len(site.asked) == QUICK.attempts
    assert not cache.exists()


def test_a_chunked_body_that_does_not_end(site: Site, cache: Path) -> None:
    def chunked(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%b\r\n" % (len(SPEC), SPEC))
        handler.close_connection = True

    site.routes[ASSET_PATH] = chunked
    with refused("truncated", ExitCode.ENVIRONMENT):
        release(site, cache)


def test_a_connection_closed_without_an_answer(site: Site, cache: Path) -> None:
    def nothing(handler: Handler) -> None:
        handler.close_connection = True

    site.routes[ASSET_PATH] = in_turn(nothing, nothing, serve(SPEC), nothing)
    assert release(site, cache).content == SPEC
    with refused("no-network", ExitCode.ENVIRONMENT):
        release(site, cache)


def test_a_web_page_is_neither_taken_nor_kept(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = in_turn(serve(HTML, ETag='"one"'), versioned)
    with refused("web-page"):
        release(site, cache)
    assert not cache.exists()
    assert release(site, cache).content == SPEC


def test_an_announced_size_beyond_the_limit(site: Site, cache: Path) -> None:
    def endless(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(10**12))
        handler.end_headers()
        time.sleep(1)

    site.routes[ASSET_PATH] = endless
    start = time.monotonic()
    with refused("too-large"):
        release(site, cache)
    assert time.monotonic() - start < 0.9


def test_a_body_that_grows_beyond_the_limit(site: Site, cache: Path) -> None:
    sent: list[int] = []

    def endless(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        while len(sent) < 100_000:
            handler.wfile.write(SPEC * 100)
            sent.append(1)

    site.routes[ASSET_PATH] = endless
    with refused("too-large"):
        release(site, cache)
    assert len(sent) < 100_000


def test_gzip_on_the_way_is_undone(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = serve(gzip.compress(SPEC), Content_Encoding="gzip")
    assert release(site, cache).content == SPEC
    assert site.asked[0][1]["Accept-Encoding"] == "gzip"


def test_gzip_on_the_way_has_the_same_limit(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = serve(gzip.compress(SPEC + b"\n" * LIMIT), Content_Encoding="gzip")
    with refused("too-large"):
        release(site, cache)


@pytest.mark.parametrize("encoding", ["br", "gzip, gzip"])
def test_an_encoding_that_was_not_asked_for(site: Site, cache: Path, encoding: str) -> None:
    site.routes[ASSET_PATH] = serve(SPEC, Content_Encoding=encoding)
    with refused("unreadable", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert f"`{encoding}`" in found[0].message


@pytest.mark.parametrize("headers", [{}, {"Content_Encoding": "gzip"}])
def test_an_asset_stored_as_gzip(site: Site, cache: Path, headers: dict[str, str]) -> None:
    site.routes[f"{ASSET_PATH}.gz"] = serve(gzip.compress(SPEC), **headers)
    packed = SpecSource(release=Release(repository="owner/name", tag="main-latest", asset="api.yaml.gz"))
    assert release(site, cache, source=packed).content == SPEC
    assert cached(cache, "spec.yaml").read_bytes() == SPEC


def drip_body(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.02)


def drip_header(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.02)


@pytest.mark.parametrize("route", [drip_body, drip_header])
def test_the_total_time_is_limited_while_bytes_arrive(site: Site, cache: Path, route: Route) -> None:
    site.routes[ASSET_PATH] = route
    start = time.monotonic()
    with refused("timeout", ExitCode.ENVIRONMENT) as found:
        release(site, cache, patience=Patience(total=0.3, silence=0.2, attempts=3, first_wait=0.01))
    assert time.monotonic() - start < 1
    assert "0.3 s" in found[0].message
    assert len(site.asked) == 1


def test_waits_between_attempts_count_as_well(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = status(503, Retry_After="2")
    start = time.monotonic()
    with refused("timeout", ExitCode.ENVIRONMENT):
        release(site, cache, patience=Patience(total=0.3, attempts=3))
    assert time.monotonic() - start < 1


def test_silence_is_a_reason_to_ask_again(site: Site, cache: Path) -> None:
    def silent(handler: Handler) -> None:
        time.sleep(0.3)
        handler.close_connection = True

    site.routes[ASSET_PATH] = in_turn(silent, serve(SPEC), silent)
    patience = Patience(total=5, silence=0.1, attempts=2, first_wait=0.01)
    assert release(site, cache, patience=patience).content == SPEC
    with refused("timeout", ExitCode.ENVIRONMENT) as found:
        release(site, cache, patience=patience)
    assert "0.1 s" in found[0].message


def test_no_network(cache: Path) -> None:
    with refused("no-network", ExitCode.ENVIRONMENT) as found:
        release(unused_url(), cache)
    assert found[0].message.startswith("no connection: ")
    assert "earlier download" not in found[0].hint


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "SSL_CERT_FILE"])
def test_an_unusable_environment(cache: Path, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "gopher:nowhere")
    with refused("no-network", ExitCode.ENVIRONMENT) as found:
        release("http://127.0.0.1:9", cache)
    assert "settings of the environment" in found[0].message


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1/spec.yaml",
        "file:///spec.yaml",
        "http://",
        "http:///spec.yaml",
        "http://[::1/spec.yaml",
        "http://127.0.0.1:99999/",
        "http://127.0.0.1:port/",
        "http://xn--/",
        "http://127.0.0.1/\x01",
    ],
)
def test_bad_addresses(cache: Path, url: str) -> None:
    with refused("bad-url"):
        fetch_spec(SOURCE, override=url, mirror=None, max_bytes=LIMIT, cache=cache, patience=QUICK)


@pytest.mark.parametrize("target", ["http://127.0.0.1:99999/", "http://xn--/", "http://"])
def test_a_redirect_to_a_bad_address_is_a_finding(site: Site, cache: Path, target: str) -> None:
    site.routes[ASSET_PATH] = redirect(target)
    with pytest.raises(Failure) as caught:
        release(site, cache)
    assert caught.value.findings[0].code in {"fetch/bad-url", "fetch/no-network"}


def test_secrets_in_an_address_are_sent_but_not_shown(site: Site, cache: Path) -> None:
    site.routes["/spec.yaml?token=hidden"] = in_turn(serve(SPEC), status(404))
    url = site.url.replace("//", "//user:hidden@") + "/spec.yaml?token=hidden"

    def fetch() -> FetchedSpec:
        return fetch_spec(SOURCE, override=url, mirror=None, max_bytes=LIMIT, cache=cache, patience=QUICK)

    assert fetch().origin == f"{site.url}/spec.yaml"
    assert site.asked[0][1]["Authorization"].startswith("Basic ")
    with refused("http-status", ExitCode.ENVIRONMENT) as found:
        fetch()
    assert "hidden" not in str(found)
    assert not any(b"hidden" in path.read_bytes() for path in cache.rglob("*") if path.is_file())


# The cache


def test_an_unchanged_release_is_not_sent_again(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = versioned
    first, second = release(site, cache), release(site, cache)
    assert (first.unchanged, second.unchanged) == (False, True)
    assert (second.content, second.sha256, second.how) == (SPEC, first.sha256, "release")
    assert site.asked[1][1]["If-None-Match"] == '"one"'


def test_a_date_makes_a_request_conditional_as_well(site: Site, cache: Path) -> None:
    date = "Wed, 21 Oct 2015 07:28:00 GMT"

    def dated(handler: Handler) -> None:
        known = handler.headers.get("If-Modified-Since") == date
        handler.reply(304 if known else 200, b"" if known else SPEC, Last_Modified=date)

    site.routes[ASSET_PATH] = dated
    assert [release(site, cache).unchanged for _ in range(2)] == [False, True]


def test_a_changed_release_replaces_the_kept_one(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = versioned
    release(site, cache)
    site.routes[ASSET_PATH] = serve(NEWER, ETag='"two"')
    fetched = release(site, cache)
    assert (fetched.content, fetched.unchanged) == (NEWER, False)
    release(site, cache)
    assert site.asked[-1][1]["If-None-Match"] == '"two"'
    assert cached(cache, "spec.yaml").read_bytes() == NEWER
    assert sorted(path.name for path in cached(cache, "spec.yaml").parent.iterdir()) == ["download.json", "spec.yaml"]


def test_each_address_has_its_own_copy(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = versioned
    release(site, cache)
    other = SpecSource(release=Release(repository="owner/name", tag="other", asset="api.yaml"))
    site.routes["/owner/name/releases/download/other/api.yaml"] = serve(NEWER)
    assert release(site, cache, source=other).content == NEWER
    assert "If-None-Match" not in site.asked[-1][1]


def damage_body(cache: Path) -> None:
    cached(cache, "spec.yaml").write_bytes(NEWER)


def empty_body(cache: Path) -> None:
    cached(cache, "spec.yaml").write_bytes(b"")


def remove_body(cache: Path) -> None:
    cached(cache, "spec.yaml").unlink()


def remove_record(cache: Path) -> None:
    cached(cache, "download.json").unlink()


def record(content: bytes) -> Callable[[Path], None]:
    def write(cache: Path) -> None:
        cached(cache, "download.json").write_bytes(content)

    return write


@pytest.mark.parametrize(
    "damage",
    [
        damage_body,
        empty_body,
        remove_body,
        remove_record,
        *(record(text) for text in (b"", b"\xff\0", b"[]", b"null", b"{}", b'"text"', b"[" * 9000, b" " * 99_999)),
    ],
)
def test_a_damaged_cache_is_fetched_anew(site: Site, cache: Path, damage: Callable[[Path], None]) -> None:
    site.routes[ASSET_PATH] = versioned
    release(site, cache)
    damage(cache)
    fetched = release(site, cache)
    assert (fetched.content, fetched.unchanged) == (SPEC, False)
    assert "If-None-Match" not in site.asked[1][1]
    assert release(site, cache).unchanged


@pytest.mark.parametrize("etag", ["a\r\nHost: elsewhere", "\u20ac", "", 7, ["x"], None])
def test_a_damaged_validator_is_not_sent(site: Site, cache: Path, etag: object) -> None:
    site.routes[ASSET_PATH] = versioned
    release(site, cache)
    path = cached(cache, "download.json")
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "etag": etag}))
    assert release(site, cache).content == SPEC
    assert "If-None-Match" not in site.asked[1][1]


def test_a_kept_copy_beyond_the_limit_is_no_copy(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = versioned
    release(site, cache)
    with refused("too-large"):
        release(site, cache, max_bytes=len(SPEC) - 1)
    assert "If-None-Match" not in site.asked[1][1]


def test_a_cache_that_cannot_be_written_is_done_without(site: Site, cache: Path) -> None:
    cache.write_bytes(b"a file in the way")
    site.routes[ASSET_PATH] = versioned
    assert [release(site, cache).content for _ in range(2)] == [SPEC, SPEC]
    assert cache.read_bytes() == b"a file in the way"


def test_a_folder_in_the_place_of_the_kept_body(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = versioned
    release(site, cache)
    body = cached(cache, "spec.yaml")
    body.unlink()
    body.mkdir()
    assert release(site, cache).content == SPEC
    assert sorted(path.name for path in body.parent.iterdir()) == ["download.json", "spec.yaml"]


def test_the_pinned_hash_holds_for_a_kept_copy(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = versioned
    release(site, cache)
    with refused("hash-mismatch"):
        release(site, cache, source=SpecSource(release=RELEASE, sha256="0" * 64))
    assert site.asked[1][1]["If-None-Match"] == '"one"'


def test_a_download_with_another_hash_than_the_pinned_one_is_not_kept(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = versioned
    with refused("hash-mismatch"):
        release(site, cache, source=SpecSource(release=RELEASE, sha256="0" * 64))
    assert not cache.exists()


def test_without_network_the_kept_copy_is_offered_but_not_taken(cache: Path) -> None:
    with serving(Site()) as site:
        site.routes[ASSET_PATH] = versioned
        release(site, cache)
        url = site.url
    with refused("no-network", ExitCode.ENVIRONMENT) as found:
        release(url, cache)
    path = cached(cache, "spec.yaml")
    assert f"`--spec {path}`" in found[0].hint
    assert local(path).content == SPEC
    damage_body(cache)
    with refused("no-network", ExitCode.ENVIRONMENT) as found:
        release(url, cache)
    assert str(path) not in found[0].hint


def test_downloads_at_once_leave_a_whole_cache(site: Site, cache: Path) -> None:
    turns = count()

    def changing(handler: Handler) -> None:
        handler.reply(200, SPEC + b"#" * next(turns) + b"\n", ETag='"one"')

    site.routes[ASSET_PATH] = changing
    fetched: list[FetchedSpec] = []
    threads = [threading.Thread(target=lambda: fetched.append(release(site, cache))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({spec.content for spec in fetched}) == 8
    assert cached(cache, "spec.yaml").read_bytes() in {spec.content for spec in fetched}
    site.routes[ASSET_PATH] = versioned
    final = release(site, cache)
    assert final.content in ({spec.content for spec in fetched} if final.unchanged else {SPEC})


# What a local build costs


def test_files_need_no_http_client(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_bytes(SPEC)
    program = (
        "import sys; from pipeline.fetch import fetch_spec; from pipeline.model.profile import SpecSource;"
        f"fetch_spec(SpecSource(), override={str(path)!r}, mirror=None, max_bytes=100);"
        "print(sorted({'httpx', 'stamina', 'asyncio', 'platformdirs'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"
