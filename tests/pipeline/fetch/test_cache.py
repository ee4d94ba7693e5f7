"""The cache: what is kept, when it is taken, and what becomes of one that is damaged on disk."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from pipeline.fetch.specification import FetchedSpec
from pipeline.model.diagnostics import ExitCode
from pipeline.model.profile.profile import Release, SpecSource

from .fetching import ASSET_PATH, RELEASE, SPEC, cached, local, refused, release, versioned
from .web_server import Handler, Site, serve, serving

NEWER = b"openapi: 3.1.0\ninfo: {title: b}\npaths: {}\n"


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
