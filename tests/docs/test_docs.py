"""The README and the guides say what is true: commands, exit codes, limits, links, examples."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from pipeline.cli.main import app
from pipeline.model.diagnostics import ExitCode
from pipeline.model.profile.profile import Limits
from tests.support import ROOT, SPEC, spec2proto

README = ROOT / "README.md"
GUIDES = sorted((ROOT / "docs").glob("*.md"))
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")


def block(text: str, info: str) -> str:
    """Return the first fenced block of a kind."""
    found = re.search(rf"```{info}\n(.*?)```", text, re.DOTALL)
    assert found
    return found[1]


def command_names(command: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """List the commands below a group, with the names of their groups before them."""
    if not hasattr(command, "list_commands"):
        yield " ".join(path)
        return
    for name in command.list_commands(None):
        yield from command_names(command.get_command(None, name), (*path, name))


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= 120


def test_the_readme_shows_a_schema_and_its_message_as_they_are() -> None:
    text = README.read_text(encoding="utf-8")
    schema = textwrap.indent(block(text, "yaml"), "    ")
    assert schema in (ROOT / "examples" / "library" / "openapi.yaml").read_text(encoding="utf-8")
    protos = (ROOT / "protos" / "example" / "folio" / "catalog" / "v1" / "catalog.proto").read_text(encoding="utf-8")
    assert block(text, "proto") in protos


@pytest.mark.parametrize("page", [README, *GUIDES], ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: object) -> None:
    assert isinstance(page, type(README))
    links = re.findall(r"\]\((?!http)([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_readme_names_every_guide() -> None:
    text = README.read_text(encoding="utf-8")
    assert [guide.name for guide in GUIDES if f"](docs/{guide.name})" not in text] == []


def test_the_table_of_exit_codes_is_complete() -> None:
    assert {int(code) for code in re.findall(r"^\| (\d) \| .+ \|$", COMMANDS, re.MULTILINE)} == set(ExitCode)


def test_the_table_of_commands_is_complete() -> None:
    cells = re.findall(r"^\| (.+?) \| ", COMMANDS, re.MULTILINE)
    documented = {name for cell in cells for name in re.findall(r"`(?:spec2proto )?([a-z]+(?: [a-z]+)*)", cell)}
    assert [name for name in command_names(app) if name not in documented] == []


def test_the_table_of_limits_has_those_of_a_profile_with_their_defaults() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| ([\d,]+) \| `[a-z/-]+` \|$", COMMANDS, re.MULTILINE)
    assert {name: int(default.replace(",", "")) for name, default in rows} == Limits().model_dump()


@pytest.mark.needs("specification")
def test_the_guide_shows_what_explain_prints() -> None:
    shown = re.search(r"^\$ .*explain QueryContainer.sltr\n(.*?)```", RESULTS, re.MULTILINE | re.DOTALL)
    assert shown
    done = spec2proto("explain", "QueryContainer.sltr", "--spec", SPEC)
    assert done.stdout.replace(str(SPEC), SPEC.name) == shown[1]


def test_the_guide_shows_a_message_as_it_is() -> None:
    common = ROOT / "protos" / "opensearch" / "protos" / "schemas" / "common.proto"
    assert block(RESULTS, "proto") in common.read_text(encoding="utf-8")
