"""The pages of the catalogue: one Markdown file a rule, read into its parts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.model.paths import ROOT

FOLDER = ROOT / "rules" / "catalogue"
INDEX = FOLDER / "README.md"
SECTIONS = ("Why", "Alternatives rejected", "Does not apply", "Source", "Example")
SPEC, PROTO, PROFILE, LOCK, PREVIOUS, OVERLAY, FINDINGS, FILES = (
    "yaml",
    "proto",
    "yaml profile",
    "yaml lock",
    "yaml previous",
    "yaml overlay",
    "text findings",
    "text files",
)
ONCE = (SPEC, PROTO)
AT_MOST_ONCE = (PROFILE, LOCK, FINDINGS, FILES)
ANY_NUMBER = (PREVIOUS, OVERLAY)

_BLOCK = re.compile(r"^```(?P<info>[^\n`]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_OWNER = re.compile(r"^Owner: `(?P<module>[a-z0-9_.]+)`$", re.MULTILINE)
_SECTION = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
_OPENING = re.compile(r"^(?P<kind>message|enum|service) (?P<name>\S+) \{")


def page_path(stem: str) -> Path:
    """Return the file of a page; its folder is its chapter."""
    (path,) = FOLDER.glob(f"*/{stem}.md")
    return path


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes:
        stem: the rule's id.
        text: the whole file.
    """

    stem: str
    text: str

    @property
    def title(self) -> str:
        """What the rule says, in one sentence."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @property
    def owner(self) -> str:
        """The module that decides by the rule."""
        return next((found["module"] for found in _OWNER.finditer(self.text)), "")

    @property
    def sections(self) -> dict[str, str]:
        """The text of each section by its title; what stands before the first one has none."""
        parts = _SECTION.split(self.text.partition("\n")[2])
        return {
            "": parts[0].strip(),
            **{title: text.strip() for title, text in zip(parts[1::2], parts[2::2], strict=True)},
        }

    @property
    def infos(self) -> list[str]:
        """What each fenced block says that it is, in order."""
        return [found["info"] for found in _BLOCK.finditer(self.text)]

    def blocks(self, info: str) -> list[str]:
        """The fenced blocks of one kind, in order."""
        return [found["text"] for found in _BLOCK.finditer(self.text) if found["info"] == info]

    def block(self, info: str) -> str:
        """The only fenced block of a kind; empty where there is none."""
        return next(iter(self.blocks(info)), "")

    def with_block(self, info: str, text: str) -> Page:
        """The same page with another text in its only block of a kind."""
        found = next(match for match in _BLOCK.finditer(self.text) if match["info"] == info)
        return Page(self.stem, self.text[: found.start("text")] + text + self.text[found.end("text") :])


def read_pages(folder: Path = FOLDER) -> list[Page]:
    """All pages, by name."""
    files = sorted(folder.glob("*/*.md"), key=lambda path: path.stem)
    return [Page(path.stem, path.read_text(encoding="utf-8")) for path in files]


def elements(text: str) -> dict[str, str]:
    """The messages, enums and services of proto text, each with its comments, by kind and name, in order."""
    return dict(_elements(text.splitlines()))


def _elements(lines: list[str]) -> Iterator[tuple[str, str]]:
    held: list[str] = []
    name = ""
    for line in lines:
        opening = None if name else _OPENING.match(line)
        held = [*held, line] if name or opening or line.startswith("//") else []
        if opening:
            name = f"{opening['kind']} {opening['name']}"
        if name and line.endswith("}") and not line.startswith(" "):
            yield name, "\n".join(held)
            held, name = [], ""
