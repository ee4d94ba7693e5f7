"""Load a profile: one of the bundled ones by name, or any file."""

from __future__ import annotations

from pathlib import Path

from pipeline.model.diagnostics import Diagnostic, Failure, Place
from pipeline.model.document.located import read_document
from pipeline.model.document.validated import validate
from pipeline.model.paths import ROOT, format_path
from pipeline.model.profile.profile import Profile

PROFILES = ROOT / "rules" / "profiles"
HINT = "compare with the bundled profiles in rules/profiles"


def find_profile(name_or_file: str) -> Path:
    """Return the file of a bundled profile, or of a path.

    Raises:
        Failure: `profile/unknown` if there is neither.
    """
    bundled = PROFILES / f"{name_or_file}.yaml"
    if "/" not in name_or_file and not name_or_file.endswith((".yaml", ".yml")) and bundled.is_file():
        return bundled
    path = Path(name_or_file)
    if path.is_file():
        return path
    names = ", ".join(sorted(file.stem for file in PROFILES.glob("*.yaml")))
    message = f"no profile `{name_or_file}`"
    raise Failure(Diagnostic("profile/unknown", message, Place(name_or_file), f"name a file, or one of: {names}"))


def load_profile(name_or_file: str) -> Profile:
    """Read and validate a bundled profile, or the file of a path.

    Raises:
        Failure: `profile/…`, with the line.
    """
    path = find_profile(name_or_file)
    file = format_path(path)
    try:
        text = path.read_bytes()
    except OSError as error:
        message = f"not readable: {error.strerror}"
        raise Failure(Diagnostic("profile/unreadable", message, Place(file), "name a file that can be read")) from None
    document = read_document(text, file, exact=True)
    profile = validate(Profile, document, "profile/invalid", HINT)
    profile.attach_document(file, document)
    return profile
