"""Assemble fragments into proto files. File placement follows what each fragment says; Jinja2 writes the files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.model.contract import Contract
from pipeline.model.findings import ExitCode, Failure, Finding
from pipeline.model.profile import ROOT, Profile, ServiceRule

TEMPLATES = ROOT / "templates"
_DESCRIPTOR = "google/protobuf/descriptor.proto"


@dataclass(slots=True)
class Fragment:
    """One message, enum or rpc as the generator printed it; the body of a message takes its nested ones before it."""

    kind: str
    words: tuple[str, ...]
    head: str
    body: str
    nested: list[Fragment] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The full name of a message or enum, `Service/Rpc` of an rpc."""
        return "/".join(self.words) if self.kind == "rpc" else self.words[0]


def parse_fragments(texts: Iterable[str]) -> list[Fragment]:
    """The fragments in the generator's output, in its order.

    Raises:
        Failure: `generator/fragments` when a marker is missing.
    """
    found = []
    for text in texts:
        for part in text.split("//@end")[:-1]:
            opened = part[part.index("//@") :] if "//@body" in part else ""
            head, _, body = opened.partition("//@body\n")
            first, _, rest = head.partition("\n")
            words = first.removeprefix("//@").split()
            if not words or not head:
                finding = Finding("generator/fragments", "a fragment without its markers", hint="mend templates/proto")
                raise Failure(finding, ExitCode.ENVIRONMENT)
            found.append(
                Fragment(words[0], tuple(words[1:]), rest.rstrip("\n"), body.strip("\n").replace("\n\n", "\n"))
            )
    return found


def assemble(
    fragments: list[Fragment], contract: Contract, services: Iterable[ServiceRule], profile: Profile
) -> dict[str, str]:
    """The proto files.

    Args:
        fragments: from the generator.
        contract: to check that none is missing.
        services: with their files and packages.
        profile: for package, options and extensions.

    Returns:
        Text by file name, sorted.

    Raises:
        Failure: `generator/missing-fragment`.
    """
    by_name = {fragment.name: fragment for fragment in fragments}
    expected = {*contract.messages, *contract.enums, *(f"{rpc.service}/{rpc.name}" for rpc in contract.rpcs)}
    missing = sorted(expected - set(by_name))
    if missing:
        message = f"OpenAPI Generator left out {', '.join(f'`{name}`' for name in missing[:5])}"
        finding = Finding("generator/missing-fragment", message, hint="report it with the canonical spec")
        raise Failure(finding, ExitCode.ENVIRONMENT)
    files = {profile.files.messages: _message_file(by_name, contract, profile)}
    for service in services:
        rpcs = [
            by_name[name]
            for name in sorted(by_name)
            if by_name[name].kind == "rpc" and by_name[name].words[0] == service.name
        ]
        if rpcs:
            files[service.file] = _service_file(service, rpcs, profile)
    environment = _environment()
    template = environment.get_template("proto_file.j2")
    return {name: template.render(**context).rstrip("\n") + "\n" for name, context in sorted(files.items())}


def _message_file(by_name: dict[str, Fragment], contract: Contract, profile: Profile) -> dict[str, Any]:
    top: list[Fragment] = []
    for name in [*sorted(contract.messages), *sorted(contract.enums)]:
        outer = name.rpartition(".")[0]
        (by_name[outer].nested if outer else top).append(by_name[name])
    extends = any(item.extends.startswith("google.protobuf.") for item in profile.extensions)
    return {
        "package": profile.package,
        "imports": [_DESCRIPTOR] if extends else [],
        "options": profile.files.options,
        "extensions": profile.extensions,
        "services": [],
        "fragments": top,
    }


def _service_file(service: ServiceRule, rpcs: list[Fragment], profile: Profile) -> dict[str, Any]:
    return {
        "package": service.package or profile.package,
        "imports": [profile.files.messages],
        "options": service.options,
        "extensions": [],
        "services": [{"name": service.name, "rpcs": rpcs}],
        "fragments": [],
    }


def _literal(value: str | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _environment() -> Environment:
    loader = FileSystemLoader(TEMPLATES)
    environment = Environment(  # noqa: S701 - proto text is not markup
        loader=loader, undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["option_literal"] = _literal
    return environment
