"""What the packages of a profile are called in each language, from the profile and the options of its protos.

Sources: protobuf guides "Go Generated Code" (option go_package) and "Java Generated Code" (java_package); PEP 503.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from pipeline.model.profile.profile import Profile

IMPORTED = ("google/", "buf/")
"""Where files lie that come from packages of their own."""


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of one profile's packages.

    Attributes:
        profile: the profile.
        version: of the packages, as in PEP 440 and semantic versioning alike: major.minor.patch.
        python: the distribution's name.
        npm: the package's name.
        group, artifact: Maven's coordinates.
        java_package: where the messages are; services may be elsewhere.
        package: the protobuf package of the messages.
        go_module: what all import paths of Go begin with.
        go_packages: the import paths.
        files: the proto files, without their ending.
        imports: which files of other packages are imported, without their ending.
    """

    profile: str
    version: str
    python: str
    npm: str
    group: str
    artifact: str
    java_package: str
    package: str
    go_module: str
    go_packages: tuple[str, ...]
    files: tuple[str, ...]
    imports: tuple[str, ...]


def own_files(descriptors: FileDescriptorSet) -> list[FileDescriptorProto]:
    """The files that a profile's protos are, without what they import."""
    return [file for file in descriptors.file if not file.name.startswith(IMPORTED)]


def naming(profile: Profile, descriptors: FileDescriptorSet, version: str) -> Naming:
    """The names of a profile's packages.

    Args:
        profile: its `bindings` come before what follows from the package.
        descriptors: of its protos, imports included.
        version: of the packages.
    """
    own = own_files(descriptors)
    package = next((file.package for file in own if file.message_type), own[0].package)
    words = package.replace(".", "-").replace("_", "-")
    java = next((file.options.java_package for file in own if file.message_type), "") or package
    wanted = profile.bindings
    paths = sorted({go_path(file, words) for file in own})
    names = {file.name.removesuffix(".proto") for file in descriptors.file}
    return Naming(
        profile=profile.name,
        version=version,
        python=wanted.python or words,
        npm=wanted.npm or words,
        group=wanted.maven_group or java.rpartition(".")[0] or java,
        artifact=wanted.maven_artifact or words,
        java_package=java,
        package=package,
        go_module=_common(paths),
        go_packages=tuple(paths),
        files=tuple(sorted(file.name.removesuffix(".proto") for file in own)),
        imports=tuple(sorted(name for name in names if name.startswith(IMPORTED))),
    )


def go_path(file: FileDescriptorProto, words: str) -> str:
    """The import path of a file in Go; one without `go_package` gets a path that no module of the world has."""
    told = file.options.go_package.partition(";")[0]
    return told or f"{words}.invalid/{PurePosixPath(file.name).parent}"


def _common(paths: Iterable[str]) -> str:
    """The longest folder that all paths are in; a single path is its own."""
    split = [path.split("/") for path in paths]
    common = []
    for parts in zip(*split, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return "/".join(common)
