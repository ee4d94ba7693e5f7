"""The inputs of a build: everything that decides its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.build.request import Request
from pipeline.build.served_rpcs import read_served
from pipeline.fetch.specification import FetchedSpec
from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.lock.model import Lock
from pipeline.model.paths import ROOT, format_path
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Comments, Profile
from pipeline.workspace import read_lock


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


def read_inputs(request: Request, profile: Profile, spec: FetchedSpec) -> Inputs:
    """Read the inputs of a build, without those that only its report shows.

    Args:
        request: the request.
        profile: the profile, as `requested_profile` returns it.
        spec: the specification as fetched.

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
    return [int(number) for number in version.split(".")] < [
        int(number) for number in profile.opensearch_version.split(".")
    ]


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
