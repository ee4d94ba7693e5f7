"""The server, the stubs and the library of books that the live tests share."""

import contextlib
import functools
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.parts import Part, absent

from . import distribution, stubs
from .client import Client
from .server import Server, unprivileged_user

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / ".tools"

BOOK_PROPERTIES: dict[str, Any] = {
    "title": {"type": "text"},
    "language": {"type": "keyword"},
    "tags": {"type": "keyword"},
    "pages": {"type": "integer"},
    "price": {"type": "double"},
    "serial": {"type": "unsigned_long"},
    "published": {"type": "date"},
    "in_print": {"type": "boolean"},
    "printed_at": {"type": "geo_point"},
    "reviews": {"type": "nested", "properties": {"by": {"type": "keyword"}, "stars": {"type": "integer"}}},
}
BOOKS: dict[str, dict[str, Any]] = {
    "1": {
        "title": "The quick river",
        "language": "en",
        "tags": ["nature", "travel"],
        "pages": 120,
        "price": 9.5,
        "serial": 2**64 - 1,
        "published": "2001-05-01",
        "in_print": True,
        "printed_at": {"lat": 52.5, "lon": 13.4},
        "reviews": [{"by": "ann", "stars": 5}, {"by": "bob", "stars": 2}],
    },
    "2": {
        "title": "A slow river",
        "language": "en",
        "tags": ["nature"],
        "pages": 200,
        "price": 12.25,
        "serial": 2,
        "published": "2005-01-15",
        "in_print": True,
        "printed_at": {"lat": 48.1, "lon": 11.6},
        "reviews": [{"by": "ann", "stars": 1}],
    },
    "3": {
        "title": "Mountains and valleys",
        "language": "de",
        "tags": ["travel"],
        "pages": 350,
        "price": 20.0,
        "published": "2010-11-30",
        "in_print": False,
        "reviews": [{"by": "cy", "stars": 4}, {"by": "bob", "stars": 3}],
    },
    "4": {
        "title": "Cooking by the river",
        "language": "en",
        "tags": ["food", "nature"],
        "pages": 90,
        "price": 15.0,
        "published": "2020-07-07",
        "in_print": True,
    },
    "5": {
        "title": "Bread",
        "language": "de",
        "tags": ["food"],
        "pages": 64,
        "price": 7.75,
        "published": "2022-02-22",
        "in_print": False,
        "reviews": [{"by": "dee", "stars": 5}],
    },
}


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip the tests of this folder from one place, so that pytest reports one line for all of them."""
    if reason := obstacle():
        absent(Part.SERVER, reason)


@functools.cache
def obstacle() -> str | None:
    """What keeps the tests from running here, None if nothing does."""
    if not stubs.PROTOS.is_dir():
        return f"no protos to test: {stubs.PROTOS.relative_to(ROOT)} does not exist"
    if os.name != "posix":
        return "the server is started by a shell script and stopped by its process group"
    try:
        distribution.find_java_home()
        unprivileged_user()
        if not distribution.folder(TOOLS).is_dir():
            distribution.find_maven()
    except distribution.MissingToolError as missing:
        return str(missing)
    return None


@pytest.fixture(scope="session")
def generated(tmp_path_factory: pytest.TempPathFactory) -> stubs.Stubs:
    """Stubs of the protos in this checkout."""
    return stubs.generate(stubs.PROTOS, tmp_path_factory.mktemp("stubs"))


@contextlib.contextmanager
def running() -> Iterator[Server]:
    """A server that nothing was written to yet, while the context lasts."""
    home = distribution.fetch(TOOLS)
    # Not one of pytest's own folders: those are closed to the user that the server runs as.
    folder = Path(tempfile.mkdtemp(prefix="opensearch-live-"))
    try:
        node = Server(distribution=home, java_home=distribution.find_java_home(), folder=folder)
        try:
            node.start()
            yield node
        finally:
            node.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def server(generated: stubs.Stubs) -> Iterator[Server]:  # noqa: ARG001  (protos that do not compile need no server)
    """A running server."""
    with running() as node:
        yield node


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    """A server for one module alone, which may leave there what it likes."""
    with running() as node:
        yield node


@pytest.fixture(scope="session")
def client(server: Server, generated: stubs.Stubs) -> Iterator[Client]:
    """A gRPC client of the server."""
    with Client(stubs=generated, port=server.ports.grpc) as connected:
        yield connected


@pytest.fixture(scope="session")
def books(server: Server) -> str:
    """The name of an index with `BOOKS` in it, which no test changes."""
    name = "books"
    create_index(server, name, BOOK_PROPERTIES)
    lines = [json.dumps(line) for key, book in BOOKS.items() for line in ({"index": {"_id": key}}, book)]
    answer = server.rest("POST", f"/{name}/_bulk?refresh=true", "\n".join(lines) + "\n")
    assert answer["errors"] is False
    return name


def create_index(server: Server, name: str, properties: dict[str, Any]) -> None:
    """Create an index over REST, because gRPC has no call for it.

    One shard, so that the order of equal hits is known; no refresh by itself, so that tests say when documents appear.
    """
    settings = {"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1"}
    server.rest("PUT", f"/{name}", json.dumps({"settings": settings, "mappings": {"properties": properties}}))
