"""Read, unpack and check the bytes of a specification from any source, before they are parsed."""

from __future__ import annotations

import gzip
import hashlib
import re
import zlib
from io import BufferedIOBase, BytesIO

from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place

GZIP_MAGIC = b"\x1f\x8b"
WHOLE = "fetch it again, and check that the file is the specification itself"

_MARKUP = re.compile(rb"<[!?a-z]", re.IGNORECASE)
_JSON = re.compile(rb'\{\s*"')
_SPEC_KEY = re.compile(rb"""(?:^|[{,]\s*)["']?(?:openapi|swagger)["']?\s*:""", re.MULTILINE)


def report_failure(
    code: str, message: str, origin: str, hint: str, exit_code: ExitCode = ExitCode.BAD_INPUT
) -> Failure:
    """Return a failure with one diagnostic about one origin, for the caller to raise."""
    return Failure(Diagnostic(f"fetch/{code}", message, Place(origin), hint), exit_code)


def report_too_large(origin: str, max_bytes: int) -> Failure:
    """Return the failure for a specification of more than `max_bytes` bytes, packed or unpacked."""
    hint = "check that it is the right file; if it is, raise `limits.spec_bytes` of the profile"
    return report_failure("too-large", f"larger than the limit of {max_bytes} bytes", origin, hint)


def read_limited(stream: BufferedIOBase, origin: str, max_bytes: int) -> bytes:
    """Read a stream to its end, but at most one byte beyond the limit.

    Raises:
        Failure: `fetch/too-large`.
        OSError: from the stream.
    """
    content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise report_too_large(origin, max_bytes)
    return content


def unpack_gzip(packed: bytes, origin: str, max_bytes: int) -> bytes:
    """Unpack gzip data, but at most one byte beyond the limit.

    Raises:
        Failure: `fetch/too-large`; `fetch/truncated` if the data ends early; `fetch/unreadable` if it is damaged.
    """
    try:
        with gzip.open(BytesIO(packed)) as stream:
            return read_limited(stream, origin, max_bytes)
    except EOFError:
        raise report_failure("truncated", "the gzip data is incomplete", origin, WHOLE) from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise report_failure("unreadable", f"the gzip data is damaged: {error}", origin, WHOLE) from None


def unpack(content: bytes, name: str, origin: str, max_bytes: int) -> bytes:
    """Return the content of a file, unpacked if its name ends in `.gz` and it is gzip data.

    Some servers unpack `.gz` files on the way, so the name alone does not tell.

    Raises:
        Failure: as `unpack_gzip`.
    """
    if name.endswith(".gz") and content.startswith(GZIP_MAGIC):
        return unpack_gzip(content, origin, max_bytes)
    return content


def verify_content(content: bytes, origin: str, pinned: str | None = None) -> str:
    """Return the SHA-256 of unpacked content; refuse it unparsed if it cannot be a complete OpenAPI document.

    Hashes are lower-case hex. Diagnostics show `origin`.

    Raises:
        Failure: `fetch/truncated` if it is empty or incomplete JSON, `fetch/web-page` for HTML or XML,
            `fetch/not-openapi` without a key `openapi` or `swagger`, `fetch/hash-mismatch`.
    """
    text = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not text:
        raise report_failure("truncated", "the file is empty", origin, WHOLE)
    if _MARKUP.match(text):
        hint = "give the URL of the file itself, not of a page that shows it; check whether a login page answers"
        raise report_failure("web-page", "expected an OpenAPI document, found a web page (HTML or XML)", origin, hint)
    if not _SPEC_KEY.search(text):
        hint = "check that it is a complete OpenAPI document in UTF-8"
        raise report_failure("not-openapi", "no key `openapi` or `swagger` at the top level", origin, hint)
    if _JSON.match(text) and not text.endswith(b"}"):
        raise report_failure("truncated", "the JSON text ends before its closing brace", origin, WHOLE)
    digest = hashlib.sha256(content).hexdigest()
    if pinned is not None and digest != pinned:
        hint = "if the new content is correct, write its hash into `spec.sha256` of the profile"
        raise report_failure("hash-mismatch", f"expected SHA-256 `{pinned}`, found `{digest}`", origin, hint)
    return digest
