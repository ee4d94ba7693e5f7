"""Download over HTTP(S), with retries, limits of time and size, and conditional requests.

It imports httpx, which is slow: import this module only to download.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from pathlib import Path
from typing import NoReturn

import httpx
import stamina
from platformdirs import user_cache_path

from pipeline.fetch.cache import CachedDownload, Download, clean_header
from pipeline.fetch.content import WHOLE, report_failure, report_too_large, unpack_gzip
from pipeline.model.diagnostics import ExitCode, Failure

MAX_REDIRECTS = 5
OFFLINE = "check the network and its proxy settings, or name a local file with `--spec`"

_RETRIED = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_MANY_REQUESTS}

# Without a handler Python would print stamina's notes about retries; whoever configures logging still gets them.
logging.getLogger("stamina").addHandler(logging.NullHandler())


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Timeouts and retries of a download; all times in seconds.

    Attributes:
        total: the timeout of everything: name lookup, redirects, retries and the waits between them.
        silence: the timeout of a connection, and of the next bytes of a response.
        attempts: the number of attempts, including the first.
        first_wait: before the second attempt; doubled for each further one, plus a random time of at most this much.
        longest_wait: the maximum wait between two attempts.
        longest_retry_after: the maximum `Retry-After` to wait for; a longer one ends the download.
    """

    total: float = 180.0
    silence: float = 20.0
    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 8.0
    longest_retry_after: float = 30.0


def get_cache_folder() -> Path:
    """Return the folder for downloads in the cache folder of the user."""
    return user_cache_path("spec2proto", appauthor=False) / "specs"


def download(
    url: str, origin: str, *, max_bytes: int, policy: RetryPolicy, cached: CachedDownload | None
) -> Download | CachedDownload:
    """Download a document, or return the cached one if the server says that it is current.

    Args:
        url: http or https; redirects from https to http are refused.
        origin: the URL as diagnostics show it.
        max_bytes: the limit of the body, before and after decoding.
        policy: timeouts and retries.
        cached: an earlier download, whose validators make the request conditional.

    Raises:
        Failure: `fetch/bad-url`, `fetch/no-network`, `fetch/http-status`, `fetch/redirect`, `fetch/timeout`,
            `fetch/truncated`, `fetch/too-large`, `fetch/unreadable`.
    """
    exchange = _Exchange(url, origin, max_bytes, policy, cached)
    try:
        return asyncio.run(exchange.run())
    except TimeoutError:
        raise exchange.report_timeout(policy.total) from None
    except _RetryableError as error:
        raise error.failure from None


class _RetryableError(Exception):
    """A failure that another attempt may avoid; `wait` is the `Retry-After` of the server in seconds."""

    def __init__(self, failure: Failure, wait: float | None = None) -> None:
        self.failure = failure
        self.wait = wait
        super().__init__(str(failure))


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One download with its redirects and attempts."""

    url: str
    origin: str
    max_bytes: int
    policy: RetryPolicy
    cached: CachedDownload | None

    @property
    def conditions(self) -> dict[str, str]:
        if self.cached is None:
            return {}
        headers = {"If-None-Match": self.cached.etag, "If-Modified-Since": self.cached.last_modified}
        return {name: value for name, value in headers.items() if value is not None}

    async def run(self) -> Download | CachedDownload:
        policy = self.policy
        retries = stamina.retry_context(
            on=self.check_retry,
            attempts=policy.attempts,
            timeout=None,
            wait_initial=policy.first_wait,
            wait_max=policy.longest_wait,
            wait_jitter=policy.first_wait,
        )
        async with asyncio.timeout(policy.total), self.open_client() as client:
            async for attempt in retries:
                with attempt:
                    return await self.try_once(client)
        raise AssertionError  # pragma: no cover - the last attempt returns or raises

    def check_retry(self, error: Exception) -> bool | float:
        """Return whether to try again, or the seconds to wait before."""
        if not isinstance(error, _RetryableError):
            return False
        if error.wait is None:
            return True
        return error.wait if error.wait <= self.policy.longest_retry_after else False

    def open_client(self) -> httpx.AsyncClient:
        # gzip only: its size can be limited during unpacking.
        headers = {"User-Agent": "spec2proto", "Accept": "*/*", "Accept-Encoding": "gzip"}
        try:
            return httpx.AsyncClient(headers=headers, timeout=self.policy.silence)
        except (OSError, ValueError, ImportError, httpx.InvalidURL) as error:
            message = f"invalid proxy or certificate settings in the environment: {_describe_error(error)}"
            raise self.report_environment("no-network", message, OFFLINE) from None

    async def try_once(self, client: httpx.AsyncClient) -> Download | CachedDownload:
        try:
            return await self.follow_redirects(client)
        except (httpx.ConnectTimeout, httpx.ConnectError, httpx.ProxyError) as error:
            message = f"no connection: {_describe_error(error)}"
            raise _RetryableError(self.report_environment("no-network", message, OFFLINE)) from None
        except httpx.TimeoutException:
            raise _RetryableError(self.report_timeout(self.policy.silence)) from None
        except (httpx.UnsupportedProtocol, httpx.InvalidURL, ValueError, ExceptionGroup) as error:
            # asyncio reports a port beyond 65535 in a group, httpx a malformed host name as a ValueError.
            message = f"invalid URL: {_describe_error(error)}"
            raise report_failure("bad-url", message, self.origin, "give a full http or https URL") from None
        except httpx.TransportError as error:
            message = f"no valid response: {_describe_error(error)}"
            raise _RetryableError(self.report_environment("no-network", message, OFFLINE)) from None

    async def follow_redirects(self, client: httpx.AsyncClient) -> Download | CachedDownload:
        # httpx would read the bodies of redirects completely, without a limit of size.
        request = client.build_request("GET", self.url, headers=self.conditions)
        allowed = {"https", request.url.scheme}
        for _ in range(MAX_REDIRECTS + 1):
            response = await client.send(request, stream=True, follow_redirects=False)
            try:
                if response.next_request is None:
                    return await self.read_response(response)
                request = response.next_request
            finally:
                await response.aclose()
            if request.url.scheme not in allowed:
                message = f"redirected from `{self.url.partition(':')[0]}` to `{request.url.scheme}`"
                raise self.report_environment("redirect", message, "give the final URL of the file")
        message = f"redirected more than {MAX_REDIRECTS} times"
        raise self.report_environment("redirect", message, "give the final URL of the file")

    async def read_response(self, response: httpx.Response) -> Download | CachedDownload:
        if response.status_code == HTTPStatus.NOT_MODIFIED and self.cached and self.conditions:
            return self.cached
        if response.status_code != HTTPStatus.OK:
            self.refuse_status(response)
        headers = response.headers
        encoding = headers.get("content-encoding", "identity").strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip"}:
            message = f"expected the content encoding `gzip` or none, found `{encoding}`"
            raise self.report_environment("unreadable", message, OFFLINE)
        body = await self.read_body(response)
        if encoding.endswith("gzip"):
            body = unpack_gzip(body, self.origin, self.max_bytes)
        return Download(body, clean_header(headers.get("etag")), clean_header(headers.get("last-modified")))

    async def read_body(self, response: httpx.Response) -> bytes:
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
            message = f"the download broke off after {len(body)} bytes: {_describe_error(error)}"
            raise _RetryableError(self.report_environment("truncated", message, WHOLE)) from None
        return bytes(body)

    def refuse_status(self, response: httpx.Response) -> NoReturn:
        status = response.status_code
        phrase = HTTPStatus(status).phrase if status in set(HTTPStatus) else ""
        message = f"`{response.url.host}` answered {f'{status} {phrase}'.strip()}"
        failure = self.report_environment("http-status", message, _suggest_for_status(status))
        if status in _RETRIED or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            raise _RetryableError(failure, _parse_retry_after(response.headers.get("retry-after")))
        raise failure

    def report_timeout(self, seconds: float) -> Failure:
        message = f"no complete response within {seconds:g} s"
        return self.report_environment("timeout", message, "try again later, or name a local file with `--spec`")

    def report_environment(self, code: str, message: str, hint: str) -> Failure:
        return report_failure(code, message, self.origin, hint, ExitCode.ENVIRONMENT)


def _parse_retry_after(value: str | None) -> float | None:
    """Return the seconds of a `Retry-After` header, which is a number or a date; None if it is absent or invalid."""
    if value is None:
        return None
    try:
        if value.isdecimal():
            return float(int(value))
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _suggest_for_status(status: int) -> str:
    if status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
        return "check the URL, or repository, tag and asset of `spec.release` in the profile"
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return "check that the file is public and that no proxy forbids it, or name a local file with `--spec`"
    return "try again later, or name a local file with `--spec`"


def _describe_error(error: BaseException) -> str:
    """Return the first line of an error message; of a group, that of its first error."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return next(iter(str(error).splitlines()), "").rstrip(".") or type(error).__name__
