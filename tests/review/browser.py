"""A real browser for the reports: Chromium without a window, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.support import TOOLS

AXE = TOOLS / "review" / "node_modules" / "axe-core" / "axe.min.js"
_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


def chromium() -> str | None:
    """The program, as `CHROMIUM` or the path name it."""
    found = os.environ.get("CHROMIUM")
    return found or next((path for name in _NAMES if (path := shutil.which(name))), None)


@contextmanager
def browser(program: str) -> Iterator[Browser]:
    """One browser."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield started
        finally:
            started.close()


@dataclass
class Opened:
    """A report in a page of the browser, with everything that went wrong in it."""

    page: Page
    problems: list[str] = field(default_factory=list)

    def go(self, address: str) -> None:
        """Follow an address within the report."""
        self.page.evaluate("address => { location.hash = address; }", address)
        self.page.wait_for_timeout(50)

    def heading(self) -> str:
        """The heading of what is shown."""
        return self.page.locator("main h1").inner_text()

    def violations(self) -> list[str]:
        """What axe finds: rule, and where."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found: dict[str, Any] = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{entry['id']}: {node['target']} {node['failureSummary']}"
            for entry in found["violations"]
            for node in entry["nodes"][:3]
        ]


@contextmanager
def opened(started: Browser, path: Path, *, width: int = 1280, dark: bool = False) -> Iterator[Opened]:
    """A report from disk, without a network; nothing may go wrong until it is closed again."""
    context = started.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", offline=True
    )
    found = Opened(context.new_page())
    found.page.on("pageerror", lambda error: found.problems.append(f"error: {error}"))
    found.page.on("console", lambda message: found.problems.append(f"{message.type}: {message.text}"))
    found.page.on("dialog", lambda dialog: (found.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    found.page.on("request", lambda request: request.url.startswith("file:") or found.problems.append(request.url))
    found.page.goto(path.as_uri())
    try:
        yield found
        assert found.problems == []
    finally:
        context.close()
