"""Derive the names of a profile's packages in each language, from the profile and the options of its protos.

Sources: protobuf guides "Go Generated Code" (option go_package) and "Java Generated Code" (java_package); PEP 503.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from pipeline.model.profile.profile import Profile

IMPORTED = ("google/", "buf/")
"""The folders of proto files that other packages contain."""


@dataclass(frozen=True, slots=True)
class PackageNames:
    """The names of a profile's packages.

    Attributes:
        profile: the name of the profile.
        version: the version of the packages, major.minor.patch, valid for PEP 440 and semantic versioning.
        python: the name of the Python distribution.
        npm: the name of the npm package.
        group, artifact: the Maven coordinates.
        java_package: the Java package of the messages; services may be in another one.
        package: the protobuf package of the messages.
        go_module: the Go module, a prefix of all import paths.
        go_packages: the Go import paths.
        files: the proto files without extension.
        imports: the imported proto files of other packages, without extension.
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


def select_own_files(descriptors: FileDescriptorSet) -> list[FileDescriptorProto]:
    """Return the proto files of a profile without their imports."""
    return [file for file in descriptors.file if not file.name.startswith(IMPORTED)]


def derive_names(profile: Profile, descriptors: FileDescriptorSet, version: str) -> PackageNames:
    """Return the names of a profile's packages; its `bindings` override names derived from the protobuf package."""
    files = select_own_files(descriptors)
    package = next((file.package for file in files if file.message_type), files[0].package)
    default = derive_default_name(package)
    java = next((file.options.java_package for file in files if file.message_type), "") or package
    chosen = profile.bindings
    go_paths = sorted({derive_go_path(file, default) for file in files})
    names = {file.name.removesuffix(".proto") for file in descriptors.file}
    return PackageNames(
        profile=profile.name,
        version=version,
        python=chosen.python or default,
        npm=chosen.npm or default,
        group=chosen.maven_group or java.rpartition(".")[0] or java,
        artifact=chosen.maven_artifact or default,
        java_package=java,
        package=package,
        go_module=_find_common_folder(go_paths),
        go_packages=tuple(go_paths),
        files=tuple(sorted(file.name.removesuffix(".proto") for file in files)),
        imports=tuple(sorted(name for name in names if name.startswith(IMPORTED))),
    )


def derive_default_name(package: str) -> str:
    """Return the name of a package that the profile does not name: `folio.catalog.v1` becomes `folio-catalog-v1`."""
    return package.replace(".", "-").replace("_", "-")


def derive_go_path(file: FileDescriptorProto, default: str) -> str:
    """Return the Go import path of a file; without `go_package`, a path under the reserved domain `.invalid`."""
    declared = file.options.go_package.partition(";")[0]
    return declared or f"{default}.invalid/{PurePosixPath(file.name).parent}"


def _find_common_folder(paths: Iterable[str]) -> str:
    """Return the longest folder that contains all paths; a single path is its own folder."""
    common = []
    for parts in zip(*(path.split("/") for path in paths), strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return "/".join(common)
