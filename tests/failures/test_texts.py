"""Texts that try to leave where they stand: a comment, a string, a template, a path, a shell, a table, a page.

One build has each text in each place where a specification has text. Its result may hold the text, as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from pipeline.model.diagnostics import ExitCode
from postprocess.tools.protoc import compile_protos

from .case import CLI, EARLIER, HERE, ROOT, Place, environment, run

EVIL = {
    "comment": "*/ message Injected {} /*",
    "line": "a\nmessage Injected {}\n//",
    "carriage": "a\r\nmessage Injected {}\r//",
    "separators": "a\u2028message Injected {}\u2029b\u0085message Injected {}",
    "string": 'a", injected = "b',
    "escape": 'a\\"; option injected = true; //\\',
    "option": 'a"]; string injected = 99 [json_name = "b',
    "mustache": "{{/models}}{{{evil}}}{{>../../evil}}{{=<% %>=}}",
    "jinja": "{{ 7 * 191 }}{% include '/etc/passwd' %}{# evil #}",
    "fragment": "a\n//@end\n//@message Injected evil.proto\nmessage Injected {\n//@body\n}\n//@end",
    "path": "../../../evil",
    "root": "/evil",
    "windows": "..\\evil:stream",
    "shell": "$(touch evil); touch evil | `touch evil` && touch evil > evil",
    "flag": "--evil",
    "table": "a | evil | b\n| --- | --- |\n| evil |",
    "link": "[evil](javascript:evil()) ![evil](http://127.0.0.1:9/evil)",
    "html": "<script>evil()</script><img src=x onerror=evil()></details></table><!--",
    "terminal": "\u001b[2J\u001b]0;evil\u0007\u0008",
    "bidi": "\u202eevil\u2066\u200f\ufeff",
    "nul": "a\u0000evil",
    "surrogate": "a\ud800evil",
    "percent": "%s%n%(evil)s%00%2e%2e%2f",
    "braces": "{evil} ${evil} #{evil}",
}
NAMED = [name for name in EVIL if name != "surrogate"]


def specification() -> dict[str, Any]:
    """Each text as title, description, tag, name of everything that has one, enum value and reason."""
    schemas: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for name in NAMED:
        text = EVIL[name]
        told = {"description": text, "title": text, "x-deprecation-message": text, "x-version-deprecated": "1.0"}
        schemas[f"{name} {text}"] = {
            "type": "object",
            **told,
            "properties": {
                text: {"type": "string", "default": text, "pattern": text, **told},
                "kind": {"type": "string", "enum": [text, f"{text}2", "plain"], **told},
                "inline": {"type": "object", "properties": {text: {"type": "integer", "format": text}}},
                "one": {"oneOf": [{"title": text, "type": "string"}, {"title": f"{text} 2", "type": "object"}]},
            },
            "required": [text],
        }
        key = f"{name} {text}".replace("~", "~0").replace("/", "~1").replace("%", "%25")
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{key}"}}}
        paths[f"/{name}"] = {
            "post": {
                "operationId": text,
                "tags": [text],
                "summary": text,
                "description": text,
                "x-operation-group": f"{name}.{text}",
                "parameters": [{"name": text, "in": "query", "description": text, "schema": {"type": "string"}}],
                "requestBody": {"description": text, "content": content},
                "responses": {"200": {"description": text, "content": content}},
            }
        }
        paths[f"/{name}/{text}"] = {"get": {"responses": {}, "description": text}}
    info = {"title": " ".join(EVIL[name] for name in NAMED), "version": EVIL["line"], "description": EVIL["html"]}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


class Built:
    """The result of the build of it all, and all that is to be seen of it."""

    def __init__(self, place: Place) -> None:
        self.place = place
        spec = place.folder / "here" / "spec.json"
        spec.write_text(json.dumps(specification()), encoding="utf-8")
        name = place.profile.read_text(encoding="utf-8").partition("name: ")[2].partition("\n")[0]
        place.profile.write_text(f"name: {name}\nfiles: {{layout: namespaces}}\ncomments: full\n", encoding="utf-8")
        for earlier in EARLIER:
            (place.out / earlier).unlink()
        before = set(place.snapshot())
        self.ran = place.run("build --profile {profile} --spec {spec} --out {out} --report -v", {}, spec=str(spec))
        assert self.ran.exit_code == ExitCode.DONE, self.ran.stderr
        self.beside = set(place.snapshot()) - before
        self.protos = {str(path.relative_to(place.out)): path.read_text() for path in place.out.rglob("*.proto")}
        self.descriptors = compile_protos(place.out, self.protos)
        self.report = (place.work / "report.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    place = Place(tmp_path_factory.mktemp("texts"), "case-texts")
    try:
        yield Built(place)
    finally:
        place.clean()


def names(descriptors: FileDescriptorSet) -> Iterator[str]:
    """Every name of the protos' own files."""
    for file in descriptors.file:
        if not file.name.startswith("google/"):
            yield from re.findall(r'^\s*name: "(.*)"$', str(file), re.MULTILINE)


def test_no_text_becomes_code(built: Built) -> None:
    found = set(names(built.descriptors))
    assert not {"Injected", "injected"} & found
    assert len(found) > len(NAMED)


@pytest.mark.parametrize("where", ["protos", "report", "output"])
def test_nothing_is_there_that_cannot_be_seen(built: Built, where: str) -> None:
    texts = {
        "protos": "".join(built.protos.values()),
        "report": built.report,
        "output": built.ran.stdout + built.ran.stderr,
    }
    assert {char for char in texts[where] if not char.isprintable()} <= {"\n"}


def test_a_comment_is_a_line(built: Built) -> None:
    """Outside comments and literals there is nothing of a text but what an identifier can hold."""
    literal = re.compile(r'"(?:[^"\\\n]|\\.)*"')
    lines = [line.strip() for text in built.protos.values() for line in text.splitlines()]
    code = [literal.sub("", line) for line in lines if not line.startswith("//")]
    assert [line for line in code if re.search(r"[^\w\s.;=(){}\[\]<>,:/-]|//", line)] == []
    assert any(line.startswith("//") and "Injected" in line for line in lines)


def test_templates_are_not_run(built: Built) -> None:
    everything = "".join(built.protos.values()) + built.report + built.ran.stdout
    assert "1337" not in everything
    assert "root:" not in everything


def test_no_path_leads_out(built: Built) -> None:
    own = re.compile(
        rf"{re.escape(str(built.place.out))}(/[a-z0-9_]+)*(/|/[a-z0-9_]+\.proto|/lock\.yaml|/binding\.json)?"
    )
    outside = {path for path in built.beside if not own.fullmatch(path)}
    assert outside == set()
    assert all(len(part) <= 255 for path in built.beside for part in Path(path).parts)


def test_no_shell_is_asked(built: Built) -> None:
    folders = [built.place.folder / "here", built.place.work, ROOT, Path.cwd()]
    assert [folder for folder in folders if (folder / "evil").exists()] == []


def unmarked(markdown: str) -> str:
    """Markdown without what is escaped in it, and without its own tags."""
    plain = re.sub(r"\\.|&#?\w+;|`[^`\n]*`", "", markdown)
    # A comment of nothing keeps GitHub from writing to whoever a text names.
    return re.sub(r"<!-- -->|</?(details|summary|code)>", "", plain)


def test_no_text_leaves_its_cell(built: Built) -> None:
    report = unmarked(built.report)
    assert "evil" in built.report
    assert re.findall(r"<[^>\n]*>?|\]\(|javascript:(?=.*\))\(", report) == []
    tables = re.split(r"\n(?!\|)", built.report)
    for table in tables:
        rows = [
            re.sub(r"\\.|`[^`\n]*`", "", row).count("|") for row in table.strip().splitlines() if row.startswith("|")
        ]
        assert len(set(rows)) <= 1, table[:500]


COMMANDS: dict[str, Callable[[str], list[str]]] = {
    "explain": lambda name: ["explain", name],
    "lock-show": lambda name: ["lock", "show", name],
    "groups": lambda name: ["build", "--groups", name],
    "profile": lambda name: ["build", "--profile", name],
    "spec": lambda name: ["build", "--spec", name],
    "version": lambda name: ["build", "--opensearch-version", name],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_diagnostic_is_a_line(place: Place, command: str) -> None:
    """What is wrong may be called anything, and be written to a terminal or a log."""
    arguments = COMMANDS[command](EVIL["line"].replace("message", EVIL["terminal"] + EVIL["bidi"]))
    more = [] if "--profile" in arguments else ["--profile", str(place.profile)]
    more += [] if command != "groups" else ["--spec", str(HERE / "shelves.yaml")]

    ran = run([str(CLI), *arguments, *more], place.folder / "here", environment({}))

    assert ran.exit_code in {ExitCode.BAD_INPUT, ExitCode.ENVIRONMENT}
    assert {char for char in ran.stderr if not char.isprintable()} == {"\n"}
    assert all("[" in line and "]: " in line for line in ran.stderr.splitlines())
