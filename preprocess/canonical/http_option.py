"""How an HTTP rule is written: the lines of the option, laid out as `buf format` does."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.model.http_forms import HttpRule

_FIELDS = {"GET": "get", "PUT": "put", "POST": "post", "DELETE": "delete", "PATCH": "patch"}
_OPTION = "google.api.http"


def option_lines(rules: tuple[HttpRule, ...], package: str) -> list[str]:
    """The lines of a `google.api.http` option; none where there are no rules.

    Args:
        rules: the main one first.
        package: of the service; where a part of it is called `google`, the option needs its leading dot.
    """
    if not rules:
        return []
    name = f".{_OPTION}" if "google" in package.split(".")[1:] else _OPTION
    lines = list(_fields(rules[0]))
    for rule in rules[1:]:
        lines += _block("additional_bindings: ", list(_fields(rule)))
    *head, last = _block(f"option ({name}) = ", lines)
    return [*head, f"{last};"]


def _fields(rule: HttpRule) -> Iterator[str]:
    if rule.method in _FIELDS:
        yield f'{_FIELDS[rule.method]}: "{rule.template}"'
    else:
        yield from _block("custom: ", [f'kind: "{rule.method}"', f'path: "{rule.template}"'])
    if rule.body:
        yield f'body: "{rule.body}"'
    if rule.response_body:
        yield f'response_body: "{rule.response_body}"'


def _block(head: str, lines: list[str]) -> list[str]:
    """Lines in braces: one line where there is only one."""
    if len(lines) == 1:
        return [f"{head}{{{lines[0]}}}"]
    return [f"{head}{{", *(f"  {line}" for line in lines), "}"]
