"""The model of a profile (`rules/profiles/*.yaml`): what to convert, and how."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field as Rule
from pydantic import PrivateAttr

from pipeline.model.diagnostics import NOWHERE, Place
from pipeline.model.document.located import LocatedMap, locate_path
from pipeline.model.document.validated import StrictModel
from pipeline.model.document.yaml_nodes import MAX_DEPTH
from pipeline.model.profile.renames_and_acceptances import Acceptance, Renames

ProtoName = Annotated[str, Rule(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
ProtoFile = Annotated[str, Rule(pattern=r"^[a-z0-9_]+(/[a-z0-9_]+)*\.proto$")]
VERSION = r"^\d+(\.\d+){0,2}$"
UNNAMED_PACKAGE = "unnamed.v1"
UNNAMED_FILE = "unnamed/v1/unnamed.proto"
Comments = Literal["none", "reference", "full"]
Package = Annotated[str, Rule(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$")]


class Bindings(StrictModel):
    """The names of the language packages; by default they are derived from the protobuf package.

    `python_packages`: first folder of the proto files → the Python package that replaces it.
    """

    python: Annotated[str, Rule(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")] | None = None
    python_packages: dict[str, Package] = Rule(default_factory=dict)
    npm: Annotated[str, Rule(pattern=r"^(@[a-z0-9-]+/)?[a-z0-9-]+$")] | None = None
    maven_group: Package | None = None
    maven_artifact: Annotated[str, Rule(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")] | None = None


class Release(StrictModel):
    """A release asset on GitHub: repository `owner/name`, tag and file name."""

    repository: Annotated[str, Rule(pattern=r"^[\w.-]+/[\w.-]+$")]
    tag: str
    asset: Annotated[str, Rule(pattern=r"^[\w.-]+$")]


class SpecSource(StrictModel):
    """The source of the specification: a file, relative to the checkout, or a release asset."""

    file: str | None = None
    release: Release | None = None
    sha256: Annotated[str, Rule(pattern=r"^[0-9a-f]{64}$")] | None = None


class Scope(StrictModel):
    """The operations and schemas to convert."""

    operation_groups: tuple[str, ...] = ()
    excluded_schemas: tuple[str, ...] = ()
    honour_vendor_exclusions: bool = True
    honour_superseded: bool = True


class Conversion(StrictModel):
    """Options of conversion rules that depend on how a contract was first published.

    Attributes:
        any_of: `plain`: the variants of `anyOf` are optional fields; `exclusive`: they are a oneof if no value fits two
            of them.
        inline_entries_in: messages whose single-key properties store the key inside the message of the value.
        untitled_rest: whether `additionalProperties: true` beside properties gets a field.
        unpublished_deprecated: whether an element that was deprecated before its first publication gets a field.
        schema_separator: the string between namespace and name in the keys of component schemas.
        case_variants: whether enum strings that differ only in case are separate values (`apart`) or `one_value`.
        plain_integer: the type of an integer without format and range.
        any_value: whether a value of any type becomes `Struct` (`object`) or `Value` (`value`).
        null_variant: whether null among variants is a variant, or makes the field nullable.
        responses: `direct`: an rpc returns the message of the body, if it is a message; `wrapped`: a response message
            contains it.
        http: whether rpcs have `google.api.http` annotations.
        json_names: whether a JSON name that differs from the default is an `option` or only a `comment`.
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
    """One rpc of a service: its operation group, and whether the server streams (None: as the specification says)."""

    name: ProtoName
    group: str
    server_streaming: bool | None = None


class ServiceRule(StrictModel):
    """One service, its file and its rpcs."""

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
    """Names of a published contract that differ from the naming rules: schema key → message or enum name."""

    schemas: dict[str, ProtoName] = Rule(default_factory=dict)


class Baseline(StrictModel):
    """The published contract that the first lock was imported from.

    Attributes:
        package: the distribution on PyPI whose releases were imported.
        release: the newest imported release; `breaking` compares with it.
        ties: `Message.field` → its source, where name and type are ambiguous.
    """

    package: str
    release: str
    ties: dict[str, str] = Rule(default_factory=dict)


class Excuse(StrictModel):
    """An exception from a lint rule with its reason; `paths` limits it to some files."""

    rule: Annotated[str, Rule(pattern=r"^[A-Z0-9_]+$")]
    reason: Annotated[str, Rule(min_length=10)]
    paths: tuple[str, ...] = ()


class Lint(StrictModel):
    """The exceptions from the rules of buf lint."""

    exceptions: tuple[Excuse, ...] = ()


class Files(StrictModel):
    """The proto files of messages and enums.

    Attributes:
        messages: the file of all messages, or of those without a namespace; named after the package by default.
        layout: `one_file`, or one file for each of the `namespaces` and services.
        namespaces: namespace → name of its file, by default its first word. If two files would import each other, the
            one listed first is imported.
        options: the options of the files.
    """

    messages: ProtoFile = UNNAMED_FILE
    layout: Literal["one_file", "namespaces"] = "one_file"
    namespaces: dict[str, Annotated[str, Rule(pattern=r"^[a-z0-9_]+$")]] = Rule(default_factory=dict)
    options: dict[str, str | bool] = Rule(default_factory=dict)


class Limits(StrictModel):
    """The limits of one build. A build beyond a limit fails with a diagnostic that names the limit.

    Attributes:
        spec_bytes: the size of the specification, packed and unpacked.
        values: the number of values in the specification; an anchor counts again at each use.
        nesting: the nesting depth of the specification; the stack of the YAML parser allows no more than the default.
        schemas: the number of component schemas.
        members: the number of properties, enum values or variants of one schema.
        seconds: the time from reading the specification to the last check.
        memory_mb: the memory of each process of the build.
        generator_seconds: the time of one run of OpenAPI Generator.
        generator_heap_mb: the heap of OpenAPI Generator.
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
    """One profile. Its paths are relative to the checkout, those of overlays to `rules/overlays`.

    Attributes:
        package: the protobuf package. By default `fill_defaults` derives package and file from the title of the
            specification, so that the profile fits any specification.
        services: the services; by default they follow from the operation groups or tags of the specification.
        service_groups: service → its operation groups; `*` stands for all groups without a namespace that are not
            listed.
        breaking: the category of buf's breaking change detection: per file or per package.
        constraints: `protovalidate` adds the constraints of the specification as options.
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
        """The file that the profile was read from, as diagnostics show it."""
        return self._file

    @property
    def place(self) -> Place:
        """The position of the whole profile, for diagnostics."""
        return Place(self._file)

    def attach_document(self, file: str, document: LocatedMap) -> None:
        """Remember the source of the profile, for the positions of diagnostics."""
        self._file = file
        self._document = document

    def locate(self, *path: str | int) -> Place:
        """Return the position of a value of the profile."""
        return self.place if self._document is None else locate_path(self._document, path)

    def locate_item(self, *path: str, item: str) -> Place:
        """Return the position of an item in a list of the profile; `NOWHERE` if it came from the command line."""
        value: Any = self._document
        for key in path:
            value = value.get(key) if isinstance(value, LocatedMap) else None
        return self.locate(*path, value.index(item)) if isinstance(value, list) and item in value else NOWHERE
