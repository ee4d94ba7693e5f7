"""The last download of each URL, kept on disk so that the next request can be conditional.

It is the project's own, as hishel's storage keeps no hash of the bodies to verify and gives them no path that a user
could pass to `--spec`.
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
    """An earlier download: its content, verified, where it lies, and what the server said to recognise it by."""

    content: bytes
    path: Path
    etag: str | None
    last_modified: str | None


@dataclass(frozen=True, slots=True)
class Download:
    """A new body, with the validators of its response (None where the server sent none)."""

    content: bytes
    etag: str | None
    last_modified: str | None


class Cache:
    """The last download of one URL: the body, and beside it a record with its hash and validators.

    Body and record are replaced one after the other; whatever comes between, or happens to them later, shows in
    the hash.
    """

    def __init__(self, folder: Path, url: str) -> None:
        self._folder = folder / hashlib.sha256(url.encode("utf-8", "replace")).hexdigest()[:32]
        self._body = self._folder / "spec.yaml"
        self._record = self._folder / "download.json"

    def read(self, max_bytes: int) -> CachedDownload | None:
        """What was kept, or None when nothing was, or it is damaged or beyond the limit of bytes."""
        try:
            record = json.loads(_beginning(self._record, MAX_RECORD_BYTES))
            content = _beginning(self._body, max_bytes + 1)
            intact = record["sha256"] == hashlib.sha256(content).hexdigest()
            etag, last_modified = clean_header(record["etag"]), clean_header(record["last_modified"])
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None
        return (
            CachedDownload(content, self._body, etag, last_modified) if intact and len(content) <= max_bytes else None
        )

    def write(self, answer: Download) -> None:
        """Keep an answer; where that is not possible, the next build downloads again and nothing else is lost."""
        record = {**asdict(answer), "sha256": hashlib.sha256(answer.content).hexdigest()}
        del record["content"]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            _replace(self._body, answer.content)
            _replace(self._record, json.dumps(record, indent=1).encode())
        except OSError:
            return


def clean_header(value: Any) -> str | None:
    """A value that may stand in a request header, whoever wrote it; None for anything else."""
    return value if isinstance(value, str) and _HEADER_VALUE.fullmatch(value) else None


def _beginning(path: Path, size: int) -> bytes:
    with path.open("rb") as stream:
        return stream.read(size)


def _replace(path: Path, content: bytes) -> None:
    """Write a file so that others see the old or the new one, never a part."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
