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


def find_chromium() -> str | None:
    """Find the browser by the variable `CHROMIUM`, else on the path."""
    result = os.environ.get("CHROMIUM")
    return result or next((path for name in _NAMES if (path := shutil.which(name))), None)


@contextmanager
def start_browser(program: str) -> Iterator[Browser]:
    """Start a browser."""
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
        """Return the heading of the visible page."""
        return self.page.locator("main h1").inner_text()

    def violations(self) -> list[str]:
        """Return the violations that axe finds: rule and element."""
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        result: dict[str, Any] = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{entry['id']}: {node['target']} {node['failureSummary']}"
            for entry in result["violations"]
            for node in entry["nodes"][:3]
        ]


@contextmanager
def open_report(started: Browser, path: Path, *, width: int = 1280, dark: bool = False) -> Iterator[Opened]:
    """Open a report from disk, without a network, and check for errors when it is closed."""
    context = started.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", offline=True
    )
    result = Opened(context.new_page())
    result.page.on("pageerror", lambda error: result.problems.append(f"error: {error}"))
    result.page.on("console", lambda message: result.problems.append(f"{message.type}: {message.text}"))
    result.page.on("dialog", lambda dialog: (result.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    result.page.on("request", lambda request: request.url.startswith("file:") or result.problems.append(request.url))
    result.page.goto(path.as_uri())
    try:
        yield result
        assert result.problems == []
    finally:
        context.close()
