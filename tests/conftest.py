"""What holds for all tests, and what those of several folders share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings
from playwright.sync_api import Browser

from tests.parts import Part, absent, check_marked
from tests.review.browser import AXE, find_chromium, start_browser

# No law fails because the machine is busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip or fail what needs a part that is missing."""
    check_marked(item)


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """What builds leave to the end of their process is collected all the same, as this process goes on."""
    yield
    gc.unfreeze()


@pytest.fixture(scope="session")
def started() -> Iterator[Browser]:
    """A real browser; tests that miss it are skipped."""
    program = find_chromium()
    if program is None or not AXE.is_file():
        absent(Part.BROWSER, "no Chromium (`CHROMIUM` names it), or no axe (`make test` installs it with npm)")
    with start_browser(program) as running:
        yield running
