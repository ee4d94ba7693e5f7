"""The inputs of a build: everything that decides its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from pipeline.build.request import Request
from pipeline.fetch.specification import FetchedSpec
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import read_document
from pipeline.model.document.validated import StrictModel, validate
from pipeline.model.lock.model import Lock
from pipeline.model.paths import ROOT, format_path
from pipeline.model.profile.load import PROFILES, load_profile
from pipeline.model.profile.profile import Comments, Profile
from pipeline.workspace import read_lock

SERVED_FOLDER = ROOT / "rules" / "served"
_SERVED_HINT = "ask the server again: `python -m tests.live.served`"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The inputs of a build.

    Attributes:
        profile: the profile, with the options of the request.
        spec: the specification as fetched.
        lock: the lock of the published contract.
        overlays: the overlays as text, by the path that diagnostics show.
        comments: how much the comments of the protos explain.
        environ: the environment variables, to find Java and the generator.
        partial: whether only a part of the published contract is built.
        servers: the rpcs that each server version answers.
        published: the files of the published result.
        previous_spec: the specification of the published result, if the request names it.
        previous_schemas: the file with the schemas of the published result, if the last build made that result.
    """

    profile: Profile
    spec: FetchedSpec
    lock: Lock
    overlays: Mapping[str, bytes]
    comments: Comments
    environ: Mapping[str, str]
    partial: bool = False
    servers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    published: Mapping[str, bytes] = field(default_factory=dict)
    previous_spec: FetchedSpec | None = None
    previous_schemas: Path | None = None


class Served(StrictModel):
    """The rpcs that real servers answer over gRPC, as `Service/Rpc`, by server version; the live tests record them."""

    servers: dict[str, tuple[str, ...]] = Field(default_factory=dict)


def read_inputs(request: Request, profile: Profile, spec: FetchedSpec) -> Inputs:
    """Read the inputs of a build, without those that only its report shows; the profile is `requested_profile`.

    Raises:
        Failure: `profile/overlay`, `served/invalid`, `lock/…`.
    """
    return Inputs(
        profile=profile,
        spec=spec,
        lock=read_lock(profile, request.out, request.lock),
        overlays=read_overlays(profile),
        comments=request.comments or profile.comments,
        environ=request.environ,
        servers=read_served(profile).servers,
        partial=bool(request.groups) or is_older(request.opensearch_version, load_profile(request.profile)),
    )


def is_older(version: str | None, profile: Profile) -> bool:
    """Return whether a version precedes the version of a profile; then what only the newer one has stays published."""
    if version is None or profile.opensearch_version is None:
        return False
    older, newer = ([int(number) for number in text.split(".")] for text in (version, profile.opensearch_version))
    return older < newer


def read_overlays(profile: Profile) -> dict[str, bytes]:
    """Read the overlays of a profile, in their order, by the path that diagnostics show.

    Raises:
        Failure: `profile/overlay`.
    """
    overlays = {}
    for name in profile.overlays:
        path = ROOT / "rules" / "overlays" / name
        try:
            overlays[format_path(path)] = path.read_bytes()
        except OSError as error:
            message = f"overlay `{name}`: {error.strerror}"
            place, hint = profile.locate_item("overlays", item=name), "name a file in rules/overlays"
            raise Failure(Diagnostic("profile/overlay", message, place, hint)) from None
    return overlays


def read_served(profile: Profile) -> Served:
    """Read the rpcs that servers answer for a bundled profile; empty for any other profile.

    Raises:
        Failure: `served/invalid`.
    """
    path = SERVED_FOLDER / f"{profile.name}.yaml"
    is_bundled = profile.file == format_path(PROFILES / path.name)
    if not is_bundled or not path.is_file():
        return Served()
    document = read_document(path.read_bytes(), path.relative_to(ROOT).as_posix(), exact=True)
    return validate(Served, document, "served/invalid", _SERVED_HINT)
