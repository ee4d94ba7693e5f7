"""A server and a cache for each test, and an environment that leads nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .web_server import Site, serving

pytest.register_assert_rewrite(f"{__package__}.fetching")


@pytest.fixture(autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy between the tests and their server; and no certificates, as loading those of the system takes longer."""
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("certificates")))


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site()) as started:
        yield started


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"
