"""Keep the last download of each URL on disk, so that the next request can be conditional.

The package `hishel` does not fit: it stores no hash to verify a body, and no file that users could pass to `--spec`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MAX_RECORD_BYTES = 10_000

_HEADER_VALUE = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,998}")


@dataclass(frozen=True, slots=True)
class CachedDownload:
    """An earlier download: its verified content, its file, and the validators of its response."""

    content: bytes
    path: Path
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class Download:
    """A new response body with its validators (None if the server sent none)."""

    content: bytes
    etag: str | None
    last_modified: str | None


class Cache:
    """The last download of one URL: the body, and a record whose hash reveals an interrupted update and damage."""

    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder / hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:32]
        self._body = self._folder / "spec.yaml"
        self._record = self._folder / "download.json"

    def read(self, max_bytes: int) -> CachedDownload | None:
        """Return the last download; None if there is none, or if it is damaged or larger than `max_bytes`."""
        try:
            record = json.loads(_read_start(self._record, MAX_RECORD_BYTES))
            content = _read_start(self._body, max_bytes + 1)
            is_intact = record["sha256"] == hashlib.sha256(content).hexdigest()
            etag, last_modified = clean_header(record["etag"]), clean_header(record["last_modified"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        is_usable = is_intact and len(content) <= max_bytes
        return CachedDownload(content, self._body, etag, last_modified) if is_usable else None

    def write(self, download: Download) -> None:
        """Store a download. If the disk refuses, nothing is stored and the next build downloads again."""
        record = {**asdict(download), "sha256": hashlib.sha256(download.content).hexdigest()}
        del record["content"]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _replace_file(self._body, download.content)
            _replace_file(self._record, json.dumps(record, indent=1).encode())
        except OSError:
            return


def clean_header(value: Any) -> str | None:
    """Return a value that is safe in a request header; None for any other value."""
    return value if isinstance(value, str) and _HEADER_VALUE.fullmatch(value) else None


def _read_start(path: Path, size: int) -> bytes:
    with path.open("rb") as stream:
        return stream.read(size)


def _replace_file(path: Path, content: bytes) -> None:
    """Write a file atomically: readers see the old or the new content."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
