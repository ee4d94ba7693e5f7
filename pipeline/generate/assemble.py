"""Assemble fragments into proto files. File placement follows what each fragment says; Jinja2 writes the files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.model.contract import Contract, Message
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure
from pipeline.model.paths import ROOT
from pipeline.model.profile.defaults import file_options
from pipeline.model.profile.profile import Profile, ServiceRule

TEMPLATES = ROOT / "templates"
_DESCRIPTOR = "google/protobuf/descriptor.proto"
ANNOTATIONS = "google/api/annotations.proto"
VALIDATE = "buf/validate/validate.proto"


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


@dataclass(slots=True)
class _Types:
    """The messages and enums of one file, sorted by name."""

    messages: dict[str, Message]
    enums: list[str]


def parse_fragments(texts: Iterable[str]) -> list[Fragment]:
    """The fragments in the generator's output, in its order.

    Raises:
        Failure: `generator/fragments` when a marker is missing.
    """
    found = []
    for text in texts:
        for part in text.split("\n//@end")[:-1]:  # a marker begins its line; anywhere else it is a name in the API
            opened = part[part.index("//@") :] if "\n//@body" in part else ""
            head, _, body = opened.partition("\n//@body")
            first, _, rest = head.partition("\n")
            words = first.removeprefix("//@").split()
            if not words or not head:
                diagnostic = Diagnostic(
                    "generator/fragments", "a fragment without its markers", hint="mend templates/proto"
                )
                raise Failure(diagnostic, ExitCode.ENVIRONMENT)
            found.append(
                Fragment(words[0], tuple(words[1:]), rest.rstrip("\n"), body.strip("\n").replace("\n\n", "\n"))
            )
    return found


def assemble_files(
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
        diagnostic = Diagnostic("generator/missing-fragment", message, hint="report it with the canonical spec")
        raise Failure(diagnostic, ExitCode.ENVIRONMENT)
    types = _types(contract, _names(contract, services))
    files = {name: _file(name, within, by_name, contract, services, profile) for name, within in types.items()}
    environment = _environment()
    template = environment.get_template("proto_file.j2")
    return {name: template.render(**context).rstrip("\n") + "\n" for name, context in sorted(files.items())}


def _types(contract: Contract, files: Iterable[str]) -> dict[str, _Types]:
    """What stands in each file."""
    found = {file: _Types({}, []) for file in files}
    for name, message in sorted(contract.messages.items()):
        found[message.file].messages[name] = message
    for name, enum in sorted(contract.enums.items()):
        found[enum.file].enums.append(name)
    return found


def _names(contract: Contract, services: Iterable[ServiceRule]) -> set[str]:
    """The files that something stands in."""
    serving = {rpc.service for rpc in contract.rpcs}
    found = {service.file for service in services if service.name in serving}
    found |= {message.file for message in contract.messages.values()}
    return found | {enum.file for enum in contract.enums.values()}


def _file(
    name: str,
    within: _Types,
    by_name: dict[str, Fragment],
    contract: Contract,
    services: Iterable[ServiceRule],
    profile: Profile,
) -> dict[str, Any]:
    """What stands in one file: its imports, options, services, messages and enums."""
    top: list[Fragment] = []
    for key in [*within.messages, *within.enums]:
        outer = key.rpartition(".")[0]
        (by_name[outer].nested if outer else top).append(by_name[key])
    served = [service for service in services if service.file == name]
    rpcs = [rpc for rpc in contract.rpcs if any(rpc.service == service.name for service in served)]
    types = {item.type for message in within.messages.values() for item in message.fields if not item.is_scalar}
    types |= {kind for rpc in rpcs for kind in (rpc.request, rpc.response)}
    own = profile.extensions if name == profile.files.messages else ()
    imports = {_file_of(kind, contract) for kind in types} - {name}
    imports |= {ANNOTATIONS} if any(rpc.http for rpc in rpcs) else set()
    imports |= {VALIDATE} if any(map(_is_constrained, within.messages.values())) else set()
    imports |= {_DESCRIPTOR for item in own if item.extends.startswith("google.protobuf.")}
    return {
        "package": (served[0].package if served else None) or profile.package,
        "imports": sorted(imports),
        "options": served[0].options if served else file_options(name, profile),
        "extensions": own,
        "services": [
            {"name": service.name, "rpcs": [by_name[f"{rpc.service}/{rpc.name}"] for rpc in rpcs]} for service in served
        ],
        "fragments": top,
    }


def _is_constrained(message: Message) -> bool:
    """Whether a message has options of protovalidate."""
    return bool(message.constraints or message.required_oneofs or any(item.constraints for item in message.fields))


def _file_of(name: str, contract: Contract) -> str:
    return contract.messages[name].file if name in contract.messages else contract.enums[name].file


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
