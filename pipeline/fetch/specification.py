"""Fetch the specification of a build: from a file, a URL, a mirror or a GitHub release.

The HTTP client is imported for downloads only, so that builds from files start fast.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote, urlsplit

from pipeline.fetch.cache import Cache, CachedDownload
from pipeline.fetch.content import read_limited, report_failure, unpack, verify_content
from pipeline.model.diagnostics import ExitCode, Failure
from pipeline.model.paths import ROOT, format_path
from pipeline.model.profile.profile import Release, SpecSource
from pipeline.workspace import find_home

if TYPE_CHECKING:
    from pipeline.fetch.http import RetryPolicy

SourceKind = Literal["file", "url", "mirror", "release"]

GITHUB = "https://github.com"
MIRROR_VARIABLE = "SPEC_MIRROR"
SIBLING_MIRROR = ROOT.parent / "shared" / "spec"

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FetchedSpec:
    """A specification and its origin.

    Attributes:
        content: the unpacked document; `sha256` is its hash in lower-case hex.
        origin: the path or URL that reports show; user, password and query of a URL are removed, as they may be secret.
        unchanged: whether the server confirmed that an earlier download is current.
    """

    content: bytes
    origin: str
    sha256: str
    how: SourceKind
    unchanged: bool = False


def find_mirror(environ: Mapping[str, str], release: Release | None) -> Path | None:
    """Return the folder that replaces the download of a release asset.

    This is the folder that `SPEC_MIRROR` names, even if it does not exist (`fetch_spec` checks it). Without the
    variable it is the folder `shared/spec` beside the checkout if that has the asset, else None.
    """
    if folder := environ.get(MIRROR_VARIABLE):
        return Path(folder)
    return SIBLING_MIRROR if release and os.access(SIBLING_MIRROR / release.asset, os.R_OK) else None


def fetch_spec(
    source: SpecSource,
    *,
    override: str | None,
    mirror: Path | None,
    max_bytes: int,
    cache: Path | None = None,
    base_url: str = GITHUB,
    policy: RetryPolicy | None = None,
) -> FetchedSpec:
    """Fetch the specification from the first available source: override, file of the profile, mirror, release.

    Args:
        source: the sources that the profile names.
        override: a path (relative to the working directory) or an http(s) URL. It replaces the source of the profile
            and its pinned hash; None or empty for none.
        mirror: the folder that replaces the download of a release, from `find_mirror`.
        max_bytes: the limit of the specification, packed and unpacked.
        cache: the folder for downloads; None for that of the user.
        base_url: the URL that the path of a repository is appended to.
        policy: timeouts and retries of a download; None for the defaults.

    Raises:
        Failure: `fetch/…`. Bad input: `no-source`, `not-found-file`, `unreadable`, `mirror`, `bad-url`, `too-large`,
            `web-page`, `truncated`, `not-openapi`, `hash-mismatch`. Environment: `no-network`, `http-status`,
            `redirect`, `timeout`; also `truncated` and `unreadable` if the transfer failed.
    """
    if override and _SCHEME.match(override):
        return _download_spec(_Request(override, "url", None, max_bytes), cache, policy)
    if override:
        return _read_file(Path(override), "file", None, max_bytes)
    if source.file is not None:
        return _read_file(find_home() / source.file, "file", source.sha256, max_bytes)
    if source.release is None:
        hint = "name one with `--spec`, or under `spec` in the profile"
        message = "the profile names neither a file nor a release for the specification"
        raise report_failure("no-source", message, "", hint)
    if mirror is not None:
        return _read_mirror(mirror, source.release, source.sha256, max_bytes)
    url = _join_url(base_url, source.release)
    return _download_spec(_Request(url, "release", source.sha256, max_bytes), cache, policy)


def _join_url(base_url: str, release: Release) -> str:
    parts = (release.repository, "releases", "download", quote(release.tag, safe=""), release.asset)
    return "/".join((base_url.rstrip("/"), *parts))


def _read_mirror(mirror: Path, release: Release, pinned: str | None, max_bytes: int) -> FetchedSpec:
    hint = f"correct `{MIRROR_VARIABLE}`, or unset it to download the release"
    try:
        return _read_file(mirror / release.asset, "mirror", pinned, max_bytes)
    except Failure as failure:
        if failure.diagnostics[0].code != "fetch/not-found-file":
            raise
    message = f"the mirror does not contain `{release.asset}`" if mirror.is_dir() else "the mirror is not a folder"
    raise report_failure("mirror", message, _format_origin(mirror), hint)


def _read_file(path: Path, how: SourceKind, pinned: str | None, max_bytes: int) -> FetchedSpec:
    origin = _format_origin(path)
    try:
        with path.open("rb") as stream:
            content = read_limited(stream, origin, max_bytes)
    except (FileNotFoundError, NotADirectoryError):
        raise report_failure("not-found-file", "no such file", origin, "check the path") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise report_failure("unreadable", f"not readable: {reason}", origin, "name a file that can be read") from None
    content = unpack(content, path.name, origin, max_bytes)
    return FetchedSpec(content, origin, verify_content(content, origin, pinned), how)


@dataclass(frozen=True, slots=True)
class _Request:
    """A download: its URL, the kind of source, the expected SHA-256 and the limit of bytes."""

    url: str
    how: SourceKind
    pinned: str | None
    max_bytes: int


def _download_spec(request: _Request, folder: Path | None, policy: RetryPolicy | None) -> FetchedSpec:
    origin, name = _split_url(request.url)
    from pipeline.fetch import http  # noqa: PLC0415 - httpx is slow, and only downloads need it

    cache = Cache(http.get_cache_folder() if folder is None else folder, request.url)
    cached = cache.read(request.max_bytes)
    policy = policy or http.RetryPolicy()
    try:
        result = http.download(request.url, origin, max_bytes=request.max_bytes, policy=policy, cached=cached)
    except Failure as failure:
        if cached is None or failure.exit_code is not ExitCode.ENVIRONMENT:
            raise
        raise _suggest_cached(cached.path, failure) from None
    if isinstance(result, CachedDownload):
        digest = verify_content(result.content, origin, request.pinned)
        return FetchedSpec(result.content, origin, digest, request.how, unchanged=True)
    result = replace(result, content=unpack(result.content, name, origin, request.max_bytes))
    # Verify before storing: a login page must not become the copy that the next request is conditional on.
    digest = verify_content(result.content, origin, request.pinned)
    cache.write(result)
    return FetchedSpec(result.content, origin, digest, request.how)


def _suggest_cached(path: Path, failure: Failure) -> Failure:
    """Add a hint at the earlier download to a failure. It may be out of date, so the user decides."""
    hint = f"or use the copy of an earlier download: `--spec {shlex.quote(str(path))}`"
    diagnostic = failure.diagnostics[0]
    return Failure(replace(diagnostic, hint=f"{diagnostic.hint}; {hint}"), failure.exit_code)


def _split_url(url: str) -> tuple[str, str]:
    """Return a URL without its secret parts, and the name of its file."""
    hint = "give a path, or a full http or https URL"
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError as error:
        raise report_failure("bad-url", f"invalid URL: {error}", "", hint) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        message = f"expected an http or https URL with a host, found `{parts.scheme}://{parts.hostname or ''}`"
        raise report_failure("bad-url", message, "", hint)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}{parts.path}", parts.path.rpartition("/")[2]


def _format_origin(path: Path) -> str:
    try:
        return format_path(path)
    except (OSError, RuntimeError, ValueError):  # a cycle of links, or a path that no file system accepts
        return str(path)
