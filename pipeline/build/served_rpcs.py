"""The rpcs that real servers answer over gRPC, recorded by the live tests: one file for each profile."""

from __future__ import annotations

from pydantic import Field

from pipeline.model.document.located import read_document
from pipeline.model.document.validated import StrictModel, validate
from pipeline.model.paths import ROOT, format_path
from pipeline.model.profile.load import PROFILES
from pipeline.model.profile.profile import Profile

FOLDER = ROOT / "rules" / "served"
HINT = "ask the server again: `python -m tests.live.served`"


class Served(StrictModel):
    """The rpcs that servers answer, as `Service/Rpc`, by server version."""

    servers: dict[str, tuple[str, ...]] = Field(default_factory=dict)


def read_served(profile: Profile) -> Served:
    """Read the rpcs that servers answer for a bundled profile; empty for any other profile.

    Raises:
        Failure: `served/invalid`.
    """
    path = FOLDER / f"{profile.name}.yaml"
    is_bundled = profile.file == format_path(PROFILES / path.name)
    if not is_bundled or not path.is_file():
        return Served()
    document = read_document(path.read_bytes(), path.relative_to(ROOT).as_posix(), exact=True)
    return validate(Served, document, "served/invalid", HINT)
