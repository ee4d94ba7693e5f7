"""A build from an address whose server misbehaves: refused, nothing changed; once the server is well the next succeeds.

How each answer is told apart, retried and cached is tested in `tests/pipeline/test_fetch_*.py`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from pipeline.model.diagnostics import ExitCode
from tests.pipeline.fetch.fetching import HTML
from tests.pipeline.fetch.web_server import Handler, Route, Site, redirect, serve, serving, status

from .case import HERE, Place

SPEC = (HERE / "shelves.yaml").read_bytes()
BUILD = "build --profile {profile} --spec {spec} --out {out}"


def half(handler: Handler) -> None:
    """Half of what was announced, then the line is cut."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(SPEC)))
    handler.end_headers()
    handler.wfile.write(SPEC[: len(SPEC) // 2])
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def cut(handler: Handler) -> None:
    """The line is cut before an answer."""
    handler.connection.shutdown(socket.SHUT_RDWR)


FAULTS: dict[str, tuple[Route, str, ExitCode]] = {
    "forbidden": (status(403), "fetch/http-status", ExitCode.ENVIRONMENT),
    "too many": (status(429, Retry_After="3600"), "fetch/http-status", ExitCode.ENVIRONMENT),
    "broken": (status(500), "fetch/http-status", ExitCode.ENVIRONMENT),
    "away": (status(503, Retry_After="3600"), "fetch/http-status", ExitCode.ENVIRONMENT),
    "login": (serve(HTML), "fetch/web-page", ExitCode.BAD_INPUT),
    "empty": (serve(b""), "fetch/truncated", ExitCode.BAD_INPUT),
    "circle": (redirect("/spec.yaml"), "fetch/redirect", ExitCode.ENVIRONMENT),
    "half": (half, "fetch/truncated", ExitCode.ENVIRONMENT),
    "cut": (cut, "fetch/no-network", ExitCode.ENVIRONMENT),
}


def test_a_misbehaving_server_breaks_nothing(make_place: Callable[..., Place]) -> None:
    places = {name: make_place(name) for name in FAULTS}

    def tried(name: str) -> tuple[int, str, bool]:
        route, _, _ = FAULTS[name]
        place, site = places[name], Site()
        with serving(site):
            site.routes = {"/spec.yaml": route}
            before = place.snapshot()
            ran = place.run(BUILD, {"XDG_CACHE_HOME": str(place.folder)}, spec=f"{site.url}/spec.yaml")
            assert "Traceback" not in ran.stderr
            return ran.exit_code, ran.stderr, place.snapshot() == before

    with ThreadPoolExecutor(len(FAULTS)) as pool:
        found = dict(zip(FAULTS, pool.map(tried, FAULTS), strict=True))

    for name, (_, code, exit_code) in FAULTS.items():
        assert (found[name][0], found[name][2]) == (exit_code, True), (name, found[name])
        assert f"error[{code}]: " in found[name][1], (name, found[name])


def test_the_next_build_after_half_a_file_succeeds(place: Place) -> None:
    site = Site()
    with serving(site):
        for route, exit_code in ((half, ExitCode.ENVIRONMENT), (serve(SPEC), ExitCode.DONE)):
            site.routes = {"/spec.yaml": route}
            ran = place.run(BUILD, {"XDG_CACHE_HOME": str(place.folder)}, spec=f"{site.url}/spec.yaml")
            assert ran.exit_code == exit_code, ran.stderr
