"""The spec that a build begins with: from what the user names, a file, a mirror, or a release on GitHub.

Only a download imports the HTTP client, so that builds from files start fast.
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
from pipeline.workspace import home

if TYPE_CHECKING:
    from pipeline.fetch.http import Patience

SourceKind = Literal["file", "url", "mirror", "release"]

GITHUB = "https://github.com"
MIRROR_VARIABLE = "SPEC_MIRROR"
BESIDE = ROOT.parent / "shared" / "spec"

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FetchedSpec:
    """A spec, and where it came from.

    Attributes:
        content: the document, unpacked.
        origin: the path or URL as reports show it; a URL without user, password and query, which may be secret.
        sha256: of `content`, lower-case hex.
        how: which kind of source it was.
        unchanged: whether the server said that the copy of an earlier download still holds.
    """

    content: bytes
    origin: str
    sha256: str
    how: SourceKind
    unchanged: bool = False


def find_mirror(environ: Mapping[str, str], release: Release | None) -> Path | None:
    """The folder to take a release's asset from instead of downloading it.

    Args:
        environ: the environment variables; `SPEC_MIRROR` names the folder.
        release: what is looked for; None when the profile names no release.

    Returns:
        What `SPEC_MIRROR` names, there or not (`fetch_spec` refuses it once it is needed); without it the folder
        `shared/spec` beside the repository if the asset is there; else None.
    """
    if named := environ.get(MIRROR_VARIABLE):
        return Path(named)
    return BESIDE if release and os.access(BESIDE / release.asset, os.R_OK) else None


def fetch_spec(
    source: SpecSource,
    *,
    override: str | None,
    mirror: Path | None,
    max_bytes: int,
    cache: Path | None = None,
    base_url: str = GITHUB,
    patience: Patience | None = None,
) -> FetchedSpec:
    """The spec from the first source that is named: the override, the profile's file, the mirror, the release.

    Args:
        source: what the profile says.
        override: a path (relative to the working directory) or an http(s) URL that takes the place of it all, the
            pinned hash included; None or empty for none.
        mirror: the folder to take the release's asset from, as `mirror_folder` finds it.
        max_bytes: the limit of the spec, packed and unpacked.
        cache: where downloads are kept; None for the user's cache folder.
        base_url: where repositories live.
        patience: limits of time and retries of a download; None for the usual ones.

    Raises:
        Failure: `fetch/…`. Bad input: `no-source`, `not-found-file`, `unreadable`, `mirror`, `bad-url`, `too-large`,
            `web-page`, `truncated`, `not-openapi`, `hash-mismatch`. Environment: `no-network`, `http-status`,
            `redirect`, `timeout`, and `truncated` or `unreadable` when it is the transfer that failed.
    """
    if override and _SCHEME.match(override):
        return _downloaded(_Wanted(override, "url", None, max_bytes), cache, patience)
    if override:
        return _from_file(Path(override), "file", None, max_bytes)
    if source.file is not None:
        return _from_file(home() / source.file, "file", source.sha256, max_bytes)
    if source.release is None:
        hint = "name one with `--spec`, or under `spec` in the profile"
        raise report_failure(
            "no-source", "the profile names neither a file nor a release to take the spec from", "", hint
        )
    if mirror is not None:
        return _from_mirror(mirror, source.release, source.sha256, max_bytes)
    url = _release_url(base_url, source.release)
    return _downloaded(_Wanted(url, "release", source.sha256, max_bytes), cache, patience)


def _release_url(base_url: str, release: Release) -> str:
    parts = (release.repository, "releases", "download", quote(release.tag, safe=""), release.asset)
    return "/".join((base_url.rstrip("/"), *parts))


def _from_mirror(mirror: Path, release: Release, pinned: str | None, max_bytes: int) -> FetchedSpec:
    hint = f"correct `{MIRROR_VARIABLE}`, or unset it to download the release"
    try:
        return _from_file(mirror / release.asset, "mirror", pinned, max_bytes)
    except Failure as failure:
        if failure.diagnostics[0].code != "fetch/not-found-file":
            raise
    message = f"the mirror does not hold `{release.asset}`" if mirror.is_dir() else "the mirror is not a folder"
    raise report_failure("mirror", message, _shown(mirror), hint)


def _from_file(path: Path, how: SourceKind, pinned: str | None, max_bytes: int) -> FetchedSpec:
    origin = _shown(path)
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
class _Wanted:
    """What to download: the address, what it is, the SHA-256 it must have, and how many bytes at most."""

    url: str
    how: SourceKind
    pinned: str | None
    max_bytes: int


def _downloaded(wanted: _Wanted, cache: Path | None, patience: Patience | None) -> FetchedSpec:
    origin, name = _checked_url(wanted.url)
    from pipeline.fetch import http  # noqa: PLC0415 - slow, and only needed here

    store = Cache(_user_cache() if cache is None else cache, wanted.url)
    kept = store.read(wanted.max_bytes)
    limits = patience or http.Patience()
    try:
        answer = http.download(wanted.url, origin, max_bytes=wanted.max_bytes, patience=limits, kept=kept)
    except Failure as failure:
        if kept is None or failure.exit_code is not ExitCode.ENVIRONMENT:
            raise
        raise _pointing_to(kept.path, failure) from None
    if isinstance(answer, CachedDownload):
        digest = verify_content(answer.content, origin, wanted.pinned)
        return FetchedSpec(answer.content, origin, digest, wanted.how, unchanged=True)
    answer = replace(answer, content=unpack(answer.content, name, origin, wanted.max_bytes))
    # Kept only once accepted: a login page must not become the copy that the next request is conditional on.
    digest = verify_content(answer.content, origin, wanted.pinned)
    store.write(answer)
    return FetchedSpec(answer.content, origin, digest, wanted.how)


def _pointing_to(kept: Path, failure: Failure) -> Failure:
    """The failure, with a hint at the earlier download: using it is the user's decision, as it may be out of date."""
    hint = f"or use the copy of an earlier download: `--spec {shlex.quote(str(kept))}`"
    found = failure.diagnostics[0]
    return Failure(replace(found, hint=f"{found.hint}; {hint}"), failure.exit_code)


def _checked_url(url: str) -> tuple[str, str]:
    """A URL as it may be shown, and the name of the file it points to."""
    hint = "give a path, or a full http or https address"
    try:
        parts = urlsplit(url)
        port = f":{parts.port}" if parts.port is not None else ""
    except ValueError as error:
        raise report_failure("bad-url", f"not a usable address: {error}", "", hint) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise report_failure(
            "bad-url", f"expected an http or https address with a host, found `{parts.scheme}`", "", hint
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}{port}{parts.path}", parts.path.rpartition("/")[2]


def _user_cache() -> Path:
    from platformdirs import user_cache_path  # noqa: PLC0415 - only needed for downloads

    return user_cache_path("spec2proto", appauthor=False) / "specs"


def _shown(path: Path) -> str:
    try:
        return format_path(path)
    except (OSError, RuntimeError, ValueError):  # a loop of links, a path that no system can have
        return str(path)
