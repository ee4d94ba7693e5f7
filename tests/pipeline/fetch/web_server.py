"""A real HTTP server on this host, and the answers it can be told to give."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

Route = Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    """Answers from the routes of its site and notes what was asked."""

    protocol_version = "HTTP/1.1"
    server: Site

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers), time.monotonic()))
        self.server.routes[self.path](self)

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if status != 304:
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Nothing: the tests look at `asked`."""


class Site(ThreadingHTTPServer):
    """A server with routes that a test sets, and a list of what it was asked."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.routes: dict[str, Route] = {}
        self.asked: list[tuple[str, dict[str, str], float]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: clients that give up are what some tests are about."""


@contextmanager
def serving(site: Site) -> Iterator[Site]:
    thread = threading.Thread(target=site.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        site.shutdown()
        site.server_close()
        thread.join()


def serve(body: bytes, **headers: str) -> Route:
    return lambda handler: handler.reply(200, body, **headers)


def in_turn(*routes: Route) -> Route:
    """The first route for the first request, and so on; the last one for all that follow."""
    turns = count()

    def route(handler: Handler) -> None:
        routes[min(next(turns), len(routes) - 1)](handler)

    return route


def status(number: int, **headers: str) -> Route:
    return lambda handler: handler.reply(number, b"no", **headers)


def redirect(target: str) -> Route:
    return lambda handler: handler.reply(302, b"moved", Location=target)


def unused_url() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"
