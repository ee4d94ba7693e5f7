"""Downloads over HTTP(S): retried, limited in time and size, and conditional on what an earlier download left on disk.

It imports httpx, which is slow: import this module only where something is downloaded.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import NoReturn

import httpx
import stamina

from pipeline.fetch.cache import CachedDownload, Download, clean_header
from pipeline.fetch.content import WHOLE, report_failure, report_too_large, unpack_gzip
from pipeline.model.diagnostics import ExitCode, Failure

MAX_REDIRECTS = 5
OFFLINE = "check the network and its proxy settings, or name a local file with `--spec`"

_RETRIED = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}

# Without a handler Python would print stamina's notes about retries; whoever configures logging still gets them.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a download may take; all times in seconds.

    Attributes:
        total: for everything: name lookup, redirects, retries and waits between them.
        silence: for the server's next bytes, and for a connection.
        attempts: how often to ask, the first time included.
        first_wait: before the second attempt; doubled for each further one, plus as much again at random at most.
        longest_wait: between two attempts.
        longest_retry_after: the longest `Retry-After` of a server that is waited for; a longer one ends the download.
    """

    total: float = 180.0
    silence: float = 20.0
    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 8.0
    longest_retry_after: float = 30.0


def download(
    url: str, origin: str, *, max_bytes: int, patience: Patience, kept: CachedDownload | None
) -> Download | CachedDownload:
    """Get a document, unless it is the one that was kept.

    Args:
        url: http or https; from https it is never redirected to http.
        origin: the URL as diagnostics show it.
        max_bytes: the limit of the body, as sent and with its content encoding undone.
        patience: limits of time, and retries.
        kept: an earlier download, whose validators make the request conditional.

    Returns:
        The new body, or `kept` when the server says that it still holds.

    Raises:
        Failure: `fetch/bad-url`, `fetch/no-network`, `fetch/http-status`, `fetch/redirect`, `fetch/timeout`,
            `fetch/truncated`, `fetch/too-large`, `fetch/unreadable`.
    """
    exchange = _Exchange(url, origin, max_bytes, patience, kept)
    try:
        return asyncio.run(exchange.run())
    except TimeoutError:
        raise exchange.timeout(patience.total) from None
    except _Trouble as trouble:
        raise trouble.failure from None


class _Trouble(Exception):  # noqa: N818 - becomes the failure that it carries
    """A failure that may pass; `wait` in seconds is the server's wish, None where it has none."""

    def __init__(self, failure: Failure, wait: float | None = None) -> None:
        self.failure = failure
        self.wait = wait
        super().__init__(str(failure))


class _Exchange:
    """One download: the request, its redirects and its repetitions."""

    def __init__(self, url: str, origin: str, max_bytes: int, patience: Patience, kept: CachedDownload | None) -> None:
        self.url = url
        self.origin = origin
        self.max_bytes = max_bytes
        self.patience = patience
        self.kept = kept
        self.conditions = _conditions(kept)

    async def run(self) -> Download | CachedDownload:
        patience = self.patience
        retries = stamina.retry_context(
            on=self.again,
            attempts=patience.attempts,
            timeout=None,
            wait_initial=patience.first_wait,
            wait_max=patience.longest_wait,
            wait_jitter=patience.first_wait,
        )
        async with asyncio.timeout(patience.total), self.client() as client:
            async for attempt in retries:
                with attempt:
                    return await self.attempt(client)
        raise AssertionError  # pragma: no cover - the last attempt returns or raises

    def again(self, error: Exception) -> bool | float:
        """Whether to try again; a number is the wait in seconds."""
        if not isinstance(error, _Trouble):
            return False
        if error.wait is None:
            return True
        return error.wait if error.wait <= self.patience.longest_retry_after else False

    def client(self) -> httpx.AsyncClient:
        # Only gzip, as its size can be limited while it is unpacked.
        headers = {"User-Agent": "spec2proto", "Accept": "*/*", "Accept-Encoding": "gzip"}
        try:
            return httpx.AsyncClient(headers=headers, timeout=self.patience.silence)
        except (OSError, ValueError, ImportError, httpx.InvalidURL) as error:
            message = f"the proxy or certificate settings of the environment are not usable: {_words(error)}"
            raise self.environment("no-network", message, OFFLINE) from None

    async def attempt(self, client: httpx.AsyncClient) -> Download | CachedDownload:
        try:
            return await self.follow(client)
        except (httpx.ConnectTimeout, httpx.ConnectError, httpx.ProxyError) as error:
            message = f"no connection: {_words(error)}"
            raise _Trouble(self.environment("no-network", message, OFFLINE)) from None
        except httpx.TimeoutException:
            raise _Trouble(self.timeout(self.patience.silence)) from None
        except (httpx.UnsupportedProtocol, httpx.InvalidURL, ValueError, ExceptionGroup) as error:
            # asyncio reports a port beyond 65535 in a group, httpx a malformed host name as a ValueError.
            message = f"not a usable address: {_words(error)}"
            raise report_failure("bad-url", message, self.origin, "give a full http or https address") from None
        except httpx.TransportError as error:
            message = f"no usable answer: {_words(error)}"
            raise _Trouble(self.environment("no-network", message, OFFLINE)) from None

    async def follow(self, client: httpx.AsyncClient) -> Download | CachedDownload:
        # By hand: httpx would read the bodies of redirects whole, however long they are.
        request = client.build_request("GET", self.url, headers=self.conditions)
        allowed = {"https", request.url.scheme}
        for _ in range(MAX_REDIRECTS + 1):
            response = await client.send(request, stream=True, follow_redirects=False)
            try:
                if response.next_request is None:
                    return await self.answer(response)
                request = response.next_request
            finally:
                await response.aclose()
            if request.url.scheme not in allowed:
                found = f"redirected from `{self.url.partition(':')[0]}` to `{request.url.scheme}`"
                raise self.environment("redirect", found, "give the address where the file lies")
        found = f"redirected more than {MAX_REDIRECTS} times"
        raise self.environment("redirect", found, "give the address where the file lies")

    async def answer(self, response: httpx.Response) -> Download | CachedDownload:
        if response.status_code == HTTPStatus.NOT_MODIFIED and self.kept and self.conditions:
            return self.kept
        if response.status_code != HTTPStatus.OK:
            self.refuse_status(response)
        headers = response.headers
        encoding = headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip"}:
            message = f"sent in the encoding `{encoding}`, which was not asked for"
            raise self.environment("unreadable", message, OFFLINE)
        body = await self.body(response)
        if encoding.endswith("gzip"):
            body = unpack_gzip(body, self.origin, self.max_bytes)
        return Download(body, clean_header(headers.get("etag")), clean_header(headers.get("last-modified")))

    async def body(self, response: httpx.Response) -> bytes:
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self.max_bytes:
            raise report_too_large(self.origin, self.max_bytes)
        body = bytearray()
        try:
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > self.max_bytes:
                    raise report_too_large(self.origin, self.max_bytes)
        except (httpx.RemoteProtocolError, httpx.ReadError) as error:
            message = f"the download broke off after {len(body)} bytes: {_words(error)}"
            raise _Trouble(self.environment("truncated", message, WHOLE)) from None
        return bytes(body)

    def refuse_status(self, response: httpx.Response) -> NoReturn:
        status = response.status_code
        phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
        message = f"`{response.url.host}` answered {f'{status} {phrase}'.strip()}"
        failure = self.environment("http-status", message, _status_hint(status))
        if status in _RETRIED or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _Trouble(failure, _retry_after(response.headers.get("retry-after")))
        raise failure

    def timeout(self, seconds: float) -> Failure:
        message = f"no whole answer within {seconds:g} s"
        return self.environment("timeout", message, "try again later, or name a local file with `--spec`")

    def environment(self, code: str, message: str, hint: str) -> Failure:
        return report_failure(code, message, self.origin, hint, ExitCode.ENVIRONMENT)


def _conditions(kept: CachedDownload | None) -> dict[str, str]:
    if kept is None:
        return {}
    headers = {"If-None-Match": kept.etag, "If-Modified-Since": kept.last_modified}
    return {name: value for name, value in headers.items() if value is not None}


def _retry_after(value: str | None) -> float | None:
    """Seconds that a `Retry-After` asks for, as a number or as a date; None when it is absent or no such thing."""
    if value is None:
        return None
    try:
        if value.isdecimal():
            return float(int(value))
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _status_hint(status: int) -> str:
    if status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
        return "check the address, or repository, tag and asset of `spec.release` in the profile"
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return "check that the file is public and that no proxy forbids it, or name a local file with `--spec`"
    return "try again later, or name a local file with `--spec`"


def _words(error: BaseException) -> str:
    """The first line of an error's text, of the first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return next(iter(str(error).splitlines()), "").rstrip(".") or type(error).__name__
