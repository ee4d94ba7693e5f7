"""GitHub as far as pull requests go: Prism holds each call against GitHub's own description, and this remembers them.

Prism answers with the examples of the description, always the same; what a call changed is put into them here. A call
that the description does not allow gets Prism's refusal.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.corpus.packages import GITHUB, GITHUB_FILE, Unavailable, package
from tests.support import TOOLS

PRISM = TOOLS / "review" / "node_modules" / "@stoplight" / "prism-cli" / "dist" / "index.js"
PULLS = "/repos/{owner}/{repo}/pulls"
LABELS = "/repos/{owner}/{repo}/issues/{issue_number}/labels"
ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"
PATHS = (PULLS, f"{PULLS}/{{pull_number}}", LABELS, f"{LABELS}/{{name}}", ISSUE, f"{ISSUE}/comments", COMMENT)
SECONDS = 60


@dataclass
class Site:
    """What GitHub knows, and what it was asked.

    Attributes:
        address: of the API.
        pulls: by number: title, body, head, base, draft, labels.
        comments: by number.
        calls: method and path of each call, and whether the description allows it.
        tokens: the values of each `Authorization` header.
    """

    address: str = ""
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    calls: list[tuple[str, str, bool]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)

    def shown(self, number: int, example: dict[str, Any]) -> dict[str, Any]:
        """Return a pull request as in a response of GitHub: the example with the state of this one."""
        pull = self.pulls[number]
        label = {"id": 1, "node_id": "x", "url": "https://example.org", "color": "ededed", "default": False}
        return example | {
            "number": number,
            "title": pull["title"],
            "body": pull["body"],
            "draft": pull["draft"],
            "node_id": str(number),
            "html_url": f"https://example.org/pull/{number}",
            "url": f"{self.address}/repos/fork/protos/pulls/{number}",
            "issue_url": f"{self.address}/repos/fork/protos/issues/{number}",
            "head": example["head"] | {"ref": pull["head"]},
            "base": example["base"] | {"ref": pull["base"]},
            "labels": [label | {"name": name, "description": ""} for name in pull["labels"]],
        }


def reduce_description() -> dict[str, Any]:
    """Reduce GitHub's OpenAPI description to the calls of `PATHS` and the schemas that they use."""
    whole = json.loads((package(GITHUB) / GITHUB_FILE).read_bytes())
    description = {key: whole[key] for key in ("openapi", "info", "servers")}
    description["paths"] = {path: whole["paths"][path] for path in PATHS}
    description["components"] = {}
    waiting = list(_find_references(description["paths"]))
    while waiting:
        _, _, section, name = waiting.pop().split("/")
        references = description["components"].setdefault(section, {})
        if name not in references:
            references[name] = whole["components"][section][name]
            waiting += _find_references(references[name])
    return description


def _find_references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from _find_references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _find_references(item)


@contextmanager
def start_prism(folder: Path) -> Iterator[str]:
    """Prism with GitHub's description; its address.

    Raises:
        Unavailable: without Node.js or Prism, or when the description cannot be had.
    """
    node = shutil.which("node")
    if node is None or not PRISM.is_file():
        raise Unavailable("Prism is not there: `make test` installs it where Node.js is installed")
    description = folder / "github.json"
    description.write_text(json.dumps(reduce_description()), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with (folder / "prism.log").open("w+", encoding="utf-8") as log:
        command = [node, str(PRISM), "mock", "--port", port, str(description)]
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        try:
            _wait(process, folder / "prism.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


def _wait(process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + SECONDS
    while "is listening" not in log.read_text(encoding="utf-8"):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < end, "Prism did not start"
        time.sleep(0.1)


@contextmanager
def serve(behind: str) -> Iterator[Site]:
    """Serve GitHub: the state here, the validation of calls by Prism."""
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _create_handler(site, behind))
    site.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()


def _create_handler(site: Site, behind: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def do_PATCH(self) -> None:
            self._serve()

        def do_DELETE(self) -> None:
            self._serve()

        def _serve(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            site.tokens.add(self.headers.get("Authorization", ""))
            if self.path == "/graphql":
                self._answer(200, _apply_mutation(site, json.loads(content)))
                return
            status, description = send_request(f"{behind}{self.path}", self.command, content)
            site.calls.append((self.command, self.path.partition("?")[0], status < 400))
            body = json.loads(content) if content else {}
            self._answer(
                status, _apply_call(site, self.command, self.path, body, description) if status < 400 else description
            )

        def _answer(self, status: int, description: Any) -> None:
            text = json.dumps(description).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    return Handler


def send_request(address: str, method: str, content: bytes) -> tuple[int, Any]:
    """Send a request and return status and response."""
    headers = {"Content-Type": "application/json"} if content else {}
    request = urllib.request.Request(address, content or None, headers, method=method)  # noqa: S310 - this machine
    try:
        with urllib.request.urlopen(request, timeout=SECONDS) as answer:  # noqa: S310 - this machine
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def _apply_call(site: Site, method: str, path: str, body: Any, description: Any) -> Any:
    """Apply a call to the state and return the response of GitHub."""
    labels = re.search(r"/issues/(\d+)/labels(?:/([^/?]+))?$", path)
    if labels:
        state = site.pulls[int(labels[1])]["labels"]
        if method == "POST":
            state += [name for name in (body["labels"] if isinstance(body, dict) else body) if name not in state]
        elif labels[2]:
            state.remove(urllib.request.unquote(labels[2]))
        return [description[0] | {"name": name} for name in state] if description else []
    if "/comments" in path or re.search(r"/issues/\d+$", path):
        return _apply_comment(site, method, path, body, description)
    number = re.search(r"/pulls/(\d+)$", path)
    if number:
        site.pulls[int(number[1])].update({key: body[key] for key in ("title", "body") if key in body})
        return site.shown(int(number[1]), description)
    if method == "POST":
        new = len(site.pulls) + 1
        site.pulls[new] = {"draft": False, "labels": [], **body}
        return site.shown(new, description)
    return [site.shown(drafts, description[0]) for drafts in site.pulls]


def _apply_comment(site: Site, method: str, path: str, body: Any, description: Any) -> Any:
    """Apply a call for comments; every pull request is an issue, too."""
    base = f"{site.address}/repos/fork/protos/issues"
    issue, edited = re.search(r"/issues/(\d+)$", path), re.search(r"/comments/(\d+)$", path)
    if issue:
        return description | {"number": int(issue[1]), "url": f"{base}/{issue[1]}"}
    number = int(edited[1]) if edited else len(site.comments) + 1
    if method in {"POST", "PATCH"}:
        site.comments[number] = body["body"]
        return description | {"id": number, "body": body["body"], "url": f"{base}/comments/{number}"}
    return [
        description[0] | {"id": key, "body": text, "url": f"{base}/comments/{key}"}
        for key, text in site.comments.items()
    ]


def _apply_mutation(site: Site, query: dict[str, Any]) -> dict[str, Any]:
    """Apply a GraphQL mutation: a pull request becomes a draft, or ready for review."""
    name = next(
        name for name in ("convertPullRequestToDraft", "markPullRequestReadyForReview") if name in query["query"]
    )
    pull = site.pulls[int(query["variables"]["input"]["pullRequestId"])]
    pull["draft"] = name == "convertPullRequestToDraft"
    return {"data": {name: {"clientMutationId": None, "pullRequest": {"isDraft": pull["draft"]}}}}
