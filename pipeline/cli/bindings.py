"""`spec2proto bindings`: generate and build the packages of a profile's protos for each language."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from pipeline.cli.console import open_console, print_lines
from pipeline.cli.options import DEFAULT_PROFILE, UNRELEASED, ProfileOption
from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.packages.build import build_package
from pipeline.packages.naming import derive_names
from pipeline.packages.plugins import LANGUAGES
from pipeline.packages.project import generate_project
from pipeline.progress import Progress
from pipeline.workspace import find_home, locate_protos
from postprocess.tools.protoc import compile_folder


def build_packages(
    profile: ProfileOption = None,
    language: Annotated[
        list[str] | None, typer.Option("--language", "-l", help="python, java, go or typescript; all without it.")
    ] = None,
    package_version: Annotated[str, typer.Option(help="The version of the packages.")] = UNRELEASED,
    protos: Annotated[Path | None, typer.Option(help="Protos other than protos/<profile>/.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where a folder for each language goes.")] = None,
) -> None:
    """Make packages for Python, Java, Go and TypeScript from the protos of a profile."""
    languages = language or list(LANGUAGES)
    for name in languages:
        if name not in LANGUAGES:
            message, hint = f"no bindings for `{name}`", f"one of: {', '.join(LANGUAGES)}"
            raise Failure(Diagnostic("bindings/language", message, Place("--language"), hint))
    target = (out or find_home() / "generated").absolute()
    # All packages are built before the first is listed, so the lines follow the progress of all languages.
    print_lines(list(_build_packages(profile or DEFAULT_PROFILE, languages, package_version, protos, target)))


def _build_packages(name: str, languages: list[str], version: str, protos: Path | None, target: Path) -> Iterator[str]:
    """Yield one line for each package, which stands in `target/<language>/<profile>/`."""
    profile, progress = load_profile(name), Progress(open_console())
    descriptors = compile_folder(locate_protos(profile, protos), profile.name)
    names = derive_names(profile, descriptors, version)
    for language in languages:
        folder = target / language / profile.name
        with progress.stage(language, f"buf generate, then a package of {len(names.files)} files"):
            generate_project(language, profile, names, descriptors, find_home() / ".tools" / "languages", folder)
            package = build_package(language, folder)
        yield f"{'package':<11} {format_path(package)}"
