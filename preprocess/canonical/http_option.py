"""Format the text of `option (google.api.http)`; `preprocess.http` decides what it says."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.model.contract import HttpRule

_FIELDS = {"GET": "get", "PUT": "put", "POST": "post", "DELETE": "delete", "PATCH": "patch"}
_OPTION = "google.api.http"


def format_http_option(rules: tuple[HttpRule, ...], package: str) -> list[str]:
    """Return the lines of a `google.api.http` option for the rules, the main one first; empty if there are none."""
    if not rules:
        return []
    name = f".{_OPTION}" if "google" in package.split(".")[1:] else _OPTION
    lines = list(_format_fields(rules[0]))
    for rule in rules[1:]:
        lines += _format_block("additional_bindings: ", list(_format_fields(rule)))
    *head, last = _format_block(f"option ({name}) = ", lines)
    return [*head, f"{last};"]


def _format_fields(rule: HttpRule) -> Iterator[str]:
    if rule.method in _FIELDS:
        yield f'{_FIELDS[rule.method]}: "{rule.template}"'
    else:
        yield from _format_block("custom: ", [f'kind: "{rule.method}"', f'path: "{rule.template}"'])
    if rule.body:
        yield f'body: "{rule.body}"'
    if rule.response_body:
        yield f'response_body: "{rule.response_body}"'


def _format_block(head: str, lines: list[str]) -> list[str]:
    """Put lines in braces; a single line stays on the line of the braces."""
    if len(lines) == 1:
        return [f"{head}{{{lines[0]}}}"]
    return [f"{head}{{", *(f"  {line}" for line in lines), "}"]
