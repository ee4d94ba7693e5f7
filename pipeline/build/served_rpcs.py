"""What real servers answer over gRPC, as the live tests have asked them: `rules/served/`, a file a profile."""

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
    """The rpcs that servers answer, `Service/Rpc`, by their versions."""

    servers: dict[str, tuple[str, ...]] = Field(default_factory=dict)


def read_served(profile: Profile) -> Served:
    """What is known of the servers of a bundled profile; nothing where none was asked.

    Raises:
        Failure: `served/invalid`.
    """
    path = FOLDER / f"{profile.name}.yaml"
    own = profile.file == format_path(PROFILES / path.name)
    if not own or not path.is_file():
        return Served()
    document = read_document(path.read_bytes(), path.relative_to(ROOT).as_posix(), exact=True)
    return validate(Served, document, "served/invalid", HINT)
