"""Downloads: what arrives is taken whole, unpacked and within the limit, or not at all."""

from __future__ import annotations

import gzip
import hashlib
import time
from pathlib import Path

import pytest

from pipeline.fetch.specification import FetchedSpec
from pipeline.model.diagnostics import ExitCode
from pipeline.model.profile.profile import Release, SpecSource

from .fetching import ASSET_PATH, HTML, LIMIT, QUICK, SPEC, cached, refused, release, versioned
from .web_server import Handler, Site, in_turn, serve


def test_a_release_is_downloaded(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = serve(SPEC)
    fetched = release(site, cache)
    assert fetched == FetchedSpec(SPEC, f"{site.url}{ASSET_PATH}", hashlib.sha256(SPEC).hexdigest(), "release")
    assert [path for path, _, _ in site.asked] == [ASSET_PATH]


def half(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(2 * len(SPEC)))
    handler.end_headers()
    handler.wfile.write(SPEC)
    handler.close_connection = True


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
