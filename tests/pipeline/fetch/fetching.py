"""What the tests of fetching share: a spec, where its release lies, and how it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pipeline.fetch.http import RetryPolicy
from pipeline.fetch.specification import FetchedSpec, fetch_spec
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure
from pipeline.model.profile.profile import Release, SpecSource

from .web_server import Handler, Site

SPEC = b"openapi: 3.1.0\ninfo: {title: a}\npaths: {}\n"
HTML = b"<!DOCTYPE html>\n<html><body>openapi: log in first</body></html>\n"
RELEASE = Release(repository="owner/name", tag="main-latest", asset="api.yaml")
SOURCE = SpecSource(release=RELEASE)
ASSET_PATH = "/owner/name/releases/download/main-latest/api.yaml"
QUICK = RetryPolicy(total=5, silence=2, attempts=3, first_wait=0.01, longest_wait=0.02, longest_retry_after=2)
LIMIT = 10_000


@contextmanager
def refused(code: str, exit_code: ExitCode = ExitCode.BAD_INPUT) -> Iterator[list[Diagnostic]]:
    """Expects a failure with exactly this code; its diagnostic is in the list afterwards."""
    found: list[Diagnostic] = []
    with pytest.raises(Failure) as caught:
        yield found
    found += caught.value.diagnostics
    assert [diagnostic.code for diagnostic in found] == [f"fetch/{code}"]
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
    policy: RetryPolicy = QUICK,
    max_bytes: int = LIMIT,
) -> FetchedSpec:
    base = site if isinstance(site, str) else site.url
    return fetch_spec(
        source, override=None, mirror=None, max_bytes=max_bytes, cache=cache, base_url=base, policy=policy
    )


def versioned(handler: Handler) -> None:
    """The spec, or 304 to who has it."""
    known = handler.headers.get("If-None-Match") == '"one"'
    handler.reply(304 if known else 200, b"" if known else SPEC, ETag='"one"')


def cached(cache: Path, name: str) -> Path:
    (path,) = cache.rglob(name)
    return path
