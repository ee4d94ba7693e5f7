"""Profiles: what to convert into what (`rules/profiles/*.yaml`), validated, with paths made absolute."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field as Rule
from pydantic import PrivateAttr

from pipeline.model.diagnostics import NOWHERE, Place
from pipeline.model.document.located import LocatedMap, locate_path
from pipeline.model.document.validated import StrictModel
from pipeline.model.document.yaml_nodes import MAX_DEPTH
from pipeline.model.profile.packages import Bindings, Package
from pipeline.model.profile.renames_and_acceptances import Acceptance, Renames

ProtoName = Annotated[str, Rule(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
ProtoFile = Annotated[str, Rule(pattern=r"^[a-z0-9_]+(/[a-z0-9_]+)*\.proto$")]
VERSION = r"^\d+(\.\d+){0,2}$"
UNNAMED_PACKAGE = "unnamed.v1"
UNNAMED_FILE = "unnamed/v1/unnamed.proto"
Comments = Literal["none", "reference", "full"]


class Release(StrictModel):
    """A release asset on GitHub: `owner/name`, the tag, the file."""

    repository: Annotated[str, Rule(pattern=r"^[\w.-]+/[\w.-]+$")]
    tag: str
    asset: Annotated[str, Rule(pattern=r"^[\w.-]+$")]


class SpecSource(StrictModel):
    """Where the spec comes from: a file (relative to the repository), or a release asset with mirrors of its name."""

    file: str | None = None
    release: Release | None = None
    sha256: Annotated[str, Rule(pattern=r"^[0-9a-f]{64}$")] | None = None


class Scope(StrictModel):
    """Which operations and schemas are converted."""

    operation_groups: tuple[str, ...] = ()
    excluded_schemas: tuple[str, ...] = ()
    honour_vendor_exclusions: bool = True
    honour_superseded: bool = True


class Conversion(StrictModel):
    """Choices among conversion rules, where a published contract and a new one differ.

    Attributes:
        any_of: `plain` gives every anyOf plain optional fields; `exclusive` makes it a oneof
            when no value can fit two variants.
        inline_entries_in: messages whose properties of exactly one key put the key into the value's message.
        untitled_rest: whether `additionalProperties: true` beside properties gets a field.
        unpublished_deprecated: whether something that was deprecated before it was ever published gets a field.
        schema_separator: what stands between namespace and name in the keys of component schemas.
        case_variants: whether texts of an enum that differ in case only are values `apart`, or `one_value`.
        plain_integer: what an integer is whose schema tells neither its format nor its range.
        any_value: whether a value of any type travels as an object or as a value of any type.
        null_variant: whether null beside other variants is a variant of its own, or makes the field nullable.
        responses: `direct` returns the body's message itself where there is one; `wrapped` always wraps it.
        http: whether rpcs carry `google.api.http` annotations.
        json_names: where the API's spelling of a field is not ProtoJSON's, `option` makes it so, `comment` tells it.
    """

    any_of: Literal["plain", "exclusive"] = "exclusive"
    inline_entries_in: tuple[str, ...] = ()
    untitled_rest: Literal["keep", "omit"] = "keep"
    unpublished_deprecated: Literal["keep", "omit"] = "keep"
    schema_separator: str = "___"
    null_variant: Literal["nullable", "variant"] = "nullable"
    responses: Literal["direct", "wrapped"] = "wrapped"
    any_value: Literal["object", "value"] = "value"
    case_variants: Literal["apart", "one_value"] = "apart"
    plain_integer: Literal["int32", "int64"] = "int64"
    http: Literal["annotations", "none"] = "annotations"
    json_names: Literal["option", "comment"] = "option"


class RpcRule(StrictModel):
    """One rpc of a service: the operation group it serves, whether the server streams (None: as the spec says)."""

    name: ProtoName
    group: str
    server_streaming: bool | None = None


class ServiceRule(StrictModel):
    """One service with its file; without `rpcs` the services follow from the spec's groups or tags."""

    name: ProtoName
    file: ProtoFile
    package: Package | None = None
    options: dict[str, str | bool] = Rule(default_factory=dict)
    rpcs: tuple[RpcRule, ...]


class Extension(StrictModel):
    """A custom option that the protos define: an extension of one of protobuf's option messages."""

    name: ProtoName
    extends: str
    number: Annotated[int, Rule(ge=50000, le=536_870_911)]
    type: str


class Names(StrictModel):
    """Names that a published contract chose otherwise than the rules: schema source → message or enum name."""

    schemas: dict[str, ProtoName] = Rule(default_factory=dict)


class Baseline(StrictModel):
    """The published contract a lock began with.

    Attributes:
        package: the distribution on PyPI whose releases were imported.
        release: the newest one, which `breaking` compares with.
        ties: `Message.field` → the source it stands for, where name and type do not tell.
    """

    package: str
    release: str
    ties: dict[str, str] = Rule(default_factory=dict)


class Excuse(StrictModel):
    """An exception from a lint rule, with its reason; `paths` limits it."""

    rule: Annotated[str, Rule(pattern=r"^[A-Z0-9_]+$")]
    reason: Annotated[str, Rule(min_length=10)]
    paths: tuple[str, ...] = ()


class Lint(StrictModel):
    """What buf lint is excused from."""

    exceptions: tuple[Excuse, ...] = ()


class Files(StrictModel):
    """Where messages and enums go, with the options of their files.

    Attributes:
        messages: the file for everything, or for what has no namespace; without a name it is called after the package.
        layout: `one_file` for all, or a file for each of the `namespaces` and services.
        namespaces: what the file of a namespace is called where it is not its first word; of files that would import
            each other, the first one listed is imported by the others.
    """

    messages: ProtoFile = UNNAMED_FILE
    layout: Literal["one_file", "namespaces"] = "one_file"
    namespaces: dict[str, Annotated[str, Rule(pattern=r"^[a-z0-9_]+$")]] = Rule(default_factory=dict)
    options: dict[str, str | bool] = Rule(default_factory=dict)


class Limits(StrictModel):
    """How much one build may take; what needs more is refused with a diagnostic that names the limit.

    Attributes:
        spec_bytes: of the spec, packed and unpacked.
        values: of the spec, anchors counted each time that they are used.
        nesting: how deep values of the spec may stand in each other; the parser's own stack allows no more.
        schemas: component schemas of the spec.
        members: properties, enum values or variants of one schema.
        seconds: from reading the spec to the last check.
        memory_mb: that each process of the build may hold.
        generator_seconds: of one run of OpenAPI Generator.
        generator_heap_mb: of its heap.
    """

    spec_bytes: Annotated[int, Rule(gt=0)] = 100_000_000
    values: Annotated[int, Rule(gt=0)] = 2_000_000
    nesting: Annotated[int, Rule(gt=0, le=MAX_DEPTH)] = MAX_DEPTH
    schemas: Annotated[int, Rule(gt=0)] = 100_000
    members: Annotated[int, Rule(gt=0)] = 10_000
    seconds: Annotated[int, Rule(gt=0)] = 1_800
    memory_mb: Annotated[int, Rule(ge=64)] = 8_192
    generator_seconds: Annotated[int, Rule(gt=0)] = 300
    generator_heap_mb: Annotated[int, Rule(ge=16)] = 512


class Profile(StrictModel):
    """One profile. Paths in it are relative to the repository, overlays to `rules/overlays`.

    Without a package it fits any spec: `package.completed` then names package and file after the spec's title. Without
    `services` these follow from the spec; `service_groups` then says which service an operation group belongs to, `*`
    standing for all that have no namespace and are not listed. `breaking` is what buf holds against what was published:
    each file, or the package. `constraints: protovalidate` carries what the spec demands of values as options.
    """

    name: Annotated[str, Rule(pattern=r"^[a-z][a-z0-9-]*$")]
    description: str = ""
    spec: SpecSource = SpecSource()
    scope: Scope = Scope()
    opensearch_version: Annotated[str, Rule(pattern=VERSION)] | None = None
    package: Package = UNNAMED_PACKAGE
    files: Files = Files()
    services: tuple[ServiceRule, ...] = ()
    service_groups: dict[ProtoName, tuple[str, ...]] = Rule(default_factory=dict)
    breaking: Literal["FILE", "PACKAGE"] = "FILE"
    conversion: Conversion = Conversion()
    constraints: Literal["protovalidate", "none"] = "none"
    names: Names = Names()
    renames: Renames = Renames()
    accept: tuple[Acceptance, ...] = ()
    overlays: tuple[str, ...] = ()
    extensions: tuple[Extension, ...] = ()
    baseline: Baseline | None = None
    comments: Comments = "reference"
    lint: Lint = Lint()
    limits: Limits = Limits()
    bindings: Bindings = Bindings()
    _file: str = PrivateAttr("")
    _document: LocatedMap | None = PrivateAttr(None)

    @property
    def file(self) -> str:
        """The file it was read from, for diagnostics."""
        return self._file

    @property
    def place(self) -> Place:
        """The profile as a place, for diagnostics about it."""
        return Place(self._file)

    def at(self, *path: str | int) -> Place:
        """Where something stands in the profile."""
        return self.place if self._document is None else locate_path(self._document, path)

    def item(self, *path: str, item: str) -> Place:
        """Where an item stands in a list of the profile; nowhere when it came from the command line."""
        value: Any = self._document
        for part in path:
            value = value.get(part) if isinstance(value, LocatedMap) else None
        return self.at(*path, value.index(item)) if isinstance(value, list) and item in value else NOWHERE
