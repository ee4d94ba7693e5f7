"""The bytes of a spec, wherever they come from: read within a limit, unpacked, and looked at before they are parsed."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from io import BufferedIOBase, BytesIO

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place

GZIP_MAGIC = b"\x1f\x8b"
WHOLE = "fetch it again, and check that the file is the spec itself"

_MARKUP = re.compile(rb"<[!?a-z]", re.IGNORECASE)
_JSON = re.compile(rb'\{\s*"')
_SPEC_KEY = re.compile(rb"""(?:^|[{,]\s*)["']?(?:openapi|swagger)["']?\s*:""", re.MULTILINE)


def report_failure(
    code: str, message: str, origin: str, hint: str, exit_code: ExitCode = ExitCode.BAD_INPUT
) -> Failure:
    """A failure with one diagnostic about one origin, to be raised by the caller."""
    return Failure(Diagnostic(f"fetch/{code}", message, Place(origin), hint), exit_code)


def report_too_large(origin: str, max_bytes: int) -> Failure:
    """The failure of a spec of more than `max_bytes` bytes, packed or unpacked."""
    hint = "check that it is the right file; if it is, raise `limits.spec_bytes` of the profile"
    return report_failure("too-large", f"larger than the limit of {max_bytes} bytes", origin, hint)


def read_limited(stream: BufferedIOBase, origin: str, max_bytes: int) -> bytes:
    """All that a stream holds; never reads more than one byte beyond the limit.

    Raises:
        Failure: `fetch/too-large`.
        OSError: as the stream raises it.
    """
    content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise report_too_large(origin, max_bytes)
    return content


def unpack_gzip(packed: bytes, origin: str, max_bytes: int) -> bytes:
    """What gzip data holds, without ever unpacking more than `max_bytes` bytes and one.

    Raises:
        Failure: `fetch/too-large`; `fetch/truncated` when the data ends early; `fetch/unreadable` when it is damaged.
    """
    try:
        with gzip.open(BytesIO(packed)) as stream:
            return read_limited(stream, origin, max_bytes)
    except EOFError:
        raise report_failure("truncated", "the gzip data ends before its end", origin, WHOLE) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise report_failure("unreadable", f"the gzip data is damaged: {error}", origin, WHOLE) from None


def unpack(content: bytes, name: str, origin: str, max_bytes: int) -> bytes:
    """The content of a file: unpacked when its name ends in `.gz` and it is gzip data.

    Servers may unpack on the way what is stored as `.gz`, hence the look at the data.

    Raises:
        Failure: as `gunzip`.
    """
    if name.endswith(".gz") and content.startswith(GZIP_MAGIC):
        return unpack_gzip(content, origin, max_bytes)
    return content


def verify_content(content: bytes, origin: str, pinned: str | None = None) -> str:
    """Refuse what cannot be a whole OpenAPI document, by a cheap look rather than a parse.

    Args:
        content: the unpacked bytes.
        origin: the name that diagnostics show.
        pinned: the SHA-256 (lower-case hex) that it must have; None for any.

    Returns:
        The SHA-256 of the content, lower-case hex.

    Raises:
        Failure: `fetch/truncated` when it is empty or JSON without an end, `fetch/web-page` for HTML or XML,
            `fetch/not-openapi` without an `openapi` or `swagger` key, `fetch/hash-mismatch`.
    """
    text = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise report_failure("truncated", "the file is empty", origin, WHOLE)
    if _MARKUP.match(text):
        hint = "give the address of the file itself, not of a page that shows it; check for a login page on the way"
        raise report_failure("web-page", "expected an OpenAPI document, found a web page (HTML or XML)", origin, hint)
    if not _SPEC_KEY.search(text):
        hint = "check that it is an OpenAPI document in UTF-8, and whole"
        raise report_failure("not-openapi", "no key `openapi` or `swagger` at the top level", origin, hint)
    if _JSON.match(text) and not text.endswith(b"}"):
        raise report_failure("truncated", "the JSON text ends before its closing brace", origin, WHOLE)
    digest = hashlib.sha256(content).hexdigest()
    if pinned is not None and digest != pinned:
        hint = "if the new content is wanted, write its hash into `spec.sha256` of the profile"
        raise report_failure("hash-mismatch", f"expected SHA-256 `{pinned}`, found `{digest}`", origin, hint)
    return digest
