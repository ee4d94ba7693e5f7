"""`spec2proto bindings`: packages for the languages, from the protos that a profile has."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.paths import format_path
from pipeline.model.profile.load import load_profile
from pipeline.packages.build import make_package
from pipeline.packages.naming import naming
from pipeline.packages.plugins import LANGUAGES
from pipeline.packages.project import generate_project
from pipeline.progress import Progress
from pipeline.workspace import home, protos_folder
from postprocess.tools.protoc import compile_folder


def bindings(
    name: str, languages: Iterable[str], *, version: str, protos: Path | None, out: Path | None, progress: Progress
) -> list[str]:
    """Generate and build the packages of a profile.

    Args:
        name: the profile.
        languages: which, none for all.
        version: of the packages.
        protos: the folder of the protos, None for the profile's own.
        out: the folder that gets one folder for each language, None for `generated/`.
        progress: told of each stage.

    Returns:
        One line for each package.

    Raises:
        Failure: `bindings/language`, and what generating and building raise.
    """
    wanted = list(languages) or list(LANGUAGES)
    for language in wanted:
        if language not in LANGUAGES:
            message = f"no bindings for `{language}`"
            raise Failure(
                Diagnostic("bindings/language", message, Place("--language"), f"one of: {', '.join(LANGUAGES)}")
            )
    profile = load_profile(name)
    descriptors = compile_folder(protos_folder(profile, protos), profile.name)
    names = naming(profile, descriptors, version)
    tools, lines = home() / ".tools" / "languages", []
    for language in wanted:
        target = (out or home() / "generated").absolute() / language / profile.name
        with progress.stage(language, f"buf generate, then a package of {len(names.files)} files"):
            generate_project(language, profile, names, descriptors, tools, target)
            lines.append(f"{'package':<11} {format_path(make_package(language, target))}")
    return lines
