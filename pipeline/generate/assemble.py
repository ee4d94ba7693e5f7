"""Assemble the fragments of the generator to proto files; the contract says which file each element belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pipeline.model.contract import Contract, Message
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure
from pipeline.model.paths import ROOT
from pipeline.model.profile.defaults import choose_file_options
from pipeline.model.profile.profile import Profile, ServiceRule
from postprocess.tools.templates import load_templates

TEMPLATES = ROOT / "templates"
_DESCRIPTOR = "google/protobuf/descriptor.proto"
ANNOTATIONS = "google/api/annotations.proto"
VALIDATE = "buf/validate/validate.proto"


@dataclass(slots=True)
class Fragment:
    """One message, enum or rpc as the generator printed it.

    Attributes:
        kind: `message`, `enum` or `rpc`.
        words: the words of the marker after the kind: the name of the element, then its file.
        head: the text before the body, with the comment.
        body: the text of the body.
        nested: the messages and enums declared inside the message.
    """

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
    """The messages and the names of the enums of one file, sorted by name."""

    messages: dict[str, Message]
    enums: list[str]


def parse_fragments(texts: Iterable[str]) -> list[Fragment]:
    """Parse the output of the generator.

    Raises:
        Failure: `generator/fragments` if a fragment lacks one of its markers.
    """
    fragments = []
    for text in texts:
        # A marker begins its line. Elsewhere the same characters belong to a name of the API.
        for section in text.split("\n//@end")[:-1]:
            start = section[section.index("//@") :] if "\n//@body" in section else ""
            head, _, body = start.partition("\n//@body")
            marker, _, comment = head.partition("\n")
            words = marker.removeprefix("//@").split()
            if not words or not head:
                message, hint = "a fragment without its markers", "fix templates/proto"
                raise Failure(Diagnostic("generator/fragments", message, hint=hint), ExitCode.ENVIRONMENT)
            body = body.strip("\n").replace("\n\n", "\n")
            fragments.append(Fragment(words[0], tuple(words[1:]), comment.rstrip("\n"), body))
    return fragments


def assemble_files(
    fragments: list[Fragment], contract: Contract, services: Iterable[ServiceRule], profile: Profile
) -> dict[str, str]:
    """Assemble the fragments of all elements of the contract to proto files; return their texts by name, sorted.

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
    types = _group_types(contract, _list_files(contract, services))
    files = {name: _describe_file(name, within, by_name, contract, services, profile) for name, within in types.items()}
    template = load_templates(TEMPLATES, option_literal=_format_option).get_template("proto_file.j2")
    return {name: template.render(**context).rstrip("\n") + "\n" for name, context in sorted(files.items())}


def _group_types(contract: Contract, files: Iterable[str]) -> dict[str, _Types]:
    types = {file: _Types({}, []) for file in files}
    for name, message in sorted(contract.messages.items()):
        types[message.file].messages[name] = message
    for name, enum in sorted(contract.enums.items()):
        types[enum.file].enums.append(name)
    return types


def _list_files(contract: Contract, services: Iterable[ServiceRule]) -> set[str]:
    """Return the files that hold an element of the contract."""
    serving = {rpc.service for rpc in contract.rpcs}
    names = {service.file for service in services if service.name in serving}
    names |= {message.file for message in contract.messages.values()}
    return names | {enum.file for enum in contract.enums.values()}


def _describe_file(
    name: str,
    within: _Types,
    by_name: dict[str, Fragment],
    contract: Contract,
    services: Iterable[ServiceRule],
    profile: Profile,
) -> dict[str, Any]:
    """Return the values for the template of one file: its imports, options, services, messages and enums."""
    top: list[Fragment] = []
    for key in [*within.messages, *within.enums]:
        outer = key.rpartition(".")[0]
        (by_name[outer].nested if outer else top).append(by_name[key])
    served = [service for service in services if service.file == name]
    rpcs = [rpc for rpc in contract.rpcs if any(rpc.service == service.name for service in served)]
    types = {item.type for message in within.messages.values() for item in message.fields if not item.is_scalar}
    types |= {kind for rpc in rpcs for kind in (rpc.request, rpc.response)}
    extensions = profile.extensions if name == profile.files.messages else ()
    imports = {_locate_type(kind, contract) for kind in types} - {name}
    imports |= {ANNOTATIONS} if any(rpc.http for rpc in rpcs) else set()
    imports |= {VALIDATE} if any(map(_is_constrained, within.messages.values())) else set()
    imports |= {_DESCRIPTOR for item in extensions if item.extends.startswith("google.protobuf.")}
    return {
        "package": (served[0].package if served else None) or profile.package,
        "imports": sorted(imports),
        "options": served[0].options if served else choose_file_options(name, profile),
        "extensions": extensions,
        "services": [
            {"name": service.name, "rpcs": [by_name[f"{rpc.service}/{rpc.name}"] for rpc in rpcs]} for service in served
        ],
        "fragments": top,
    }


def _is_constrained(message: Message) -> bool:
    return bool(message.constraints or message.required_oneofs or any(item.constraints for item in message.fields))


def _locate_type(name: str, contract: Contract) -> str:
    return contract.messages[name].file if name in contract.messages else contract.enums[name].file


def _format_option(value: str | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
