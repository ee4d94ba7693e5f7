"""Refusals, errors and silence: what is asked for again, how often, and for how long."""

from __future__ import annotations

import time
from email.utils import formatdate
from pathlib import Path

import pytest

from pipeline.fetch.http import RetryPolicy
from pipeline.model.diagnostics import ExitCode

from .fetching import ASSET_PATH, QUICK, SPEC, refused, release
from .web_server import Handler, Route, Site, in_turn, serve, status, unused_url


@pytest.mark.parametrize("number", [204, 206, 304, 401, 403, 404, 410])
def test_other_answers_are_refused_at_once(site: Site, cache: Path, number: int) -> None:
    site.routes[ASSET_PATH] = lambda handler: handler.reply(number)
    with refused("http-status", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert str(number) in found[0].message
    assert len(site.asked) == 1


def test_an_error_of_the_server_may_pass(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = in_turn(status(500), status(503), serve(SPEC))
    assert release(site, cache).content == SPEC
    assert len(site.asked) == 3


def test_an_error_that_stays_ends_after_the_last_attempt(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = status(502)
    with refused("http-status", ExitCode.ENVIRONMENT) as found:
        release(site, cache)
    assert "502 Bad Gateway" in found[0].message
    assert len(site.asked) == QUICK.attempts


def test_retry_after_is_honoured(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = in_turn(status(429, Retry_After="1"), status(429, Retry_After="0"), serve(SPEC))
    assert release(site, cache).content == SPEC
    first, second, third = (moment for _, _, moment in site.asked)
    assert 1.0 <= second - first < 1.5
    assert third - second < 0.5


@pytest.mark.parametrize("value", ["3600", formatdate(time.time() + 3600, usegmt=True)])
def test_a_long_retry_after_is_not_waited_for(site: Site, cache: Path, value: str) -> None:
    site.routes[ASSET_PATH] = status(429, Retry_After=value)
    with refused("http-status", ExitCode.ENVIRONMENT):
        release(site, cache)
    assert len(site.asked) == 1


@pytest.mark.parametrize("value", ["soon", "-1", "Mon, 99 Foo 2000", formatdate(0, usegmt=True)])
def test_a_strange_retry_after_is_only_a_retry(site: Site, cache: Path, value: str) -> None:
    site.routes[ASSET_PATH] = in_turn(status(503, Retry_After=value), serve(SPEC))
    assert release(site, cache).content == SPEC


def test_a_connection_closed_without_an_answer(site: Site, cache: Path) -> None:
    def nothing(handler: Handler) -> None:
        handler.close_connection = True

    site.routes[ASSET_PATH] = in_turn(nothing, nothing, serve(SPEC), nothing)
    assert release(site, cache).content == SPEC
    with refused("no-network", ExitCode.ENVIRONMENT):
        release(site, cache)


def drip_body(handler: Handler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.02)


def drip_header(handler: Handler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX: ")
    for _ in range(100):
        handler.wfile.write(b"x")
        time.sleep(0.02)


@pytest.mark.parametrize("route", [drip_body, drip_header])
def test_the_total_time_is_limited_while_bytes_arrive(site: Site, cache: Path, route: Route) -> None:
    site.routes[ASSET_PATH] = route
    start = time.monotonic()
    with refused("timeout", ExitCode.ENVIRONMENT) as found:
        release(site, cache, policy=RetryPolicy(total=0.3, silence=0.2, attempts=3, first_wait=0.01))
    assert time.monotonic() - start < 1
    assert "0.3 s" in found[0].message
    assert len(site.asked) == 1


def test_waits_between_attempts_count_as_well(site: Site, cache: Path) -> None:
    site.routes[ASSET_PATH] = status(503, Retry_After="2")
    start = time.monotonic()
    with refused("timeout", ExitCode.ENVIRONMENT):
        release(site, cache, policy=RetryPolicy(total=0.3, attempts=3))
    assert time.monotonic() - start < 1


def test_silence_is_a_reason_to_ask_again(site: Site, cache: Path) -> None:
    def silent(handler: Handler) -> None:
        time.sleep(0.3)
        handler.close_connection = True

    site.routes[ASSET_PATH] = in_turn(silent, serve(SPEC), silent)
    policy = RetryPolicy(total=5, silence=0.1, attempts=2, first_wait=0.01)
    assert release(site, cache, policy=policy).content == SPEC
    with refused("timeout", ExitCode.ENVIRONMENT) as found:
        release(site, cache, policy=policy)
    assert "0.1 s" in found[0].message


def test_no_network(cache: Path) -> None:
    with refused("no-network", ExitCode.ENVIRONMENT) as found:
        release(unused_url(), cache)
    assert found[0].message.startswith("no connection: ")
    assert "earlier download" not in found[0].hint


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "SSL_CERT_FILE"])
def test_an_unusable_environment(cache: Path, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "gopher:nowhere")
    with refused("no-network", ExitCode.ENVIRONMENT) as found:
        release("http://127.0.0.1:9", cache)
    assert "settings in the environment" in found[0].message
