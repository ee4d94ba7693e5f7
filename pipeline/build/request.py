"""The request for a build, its outcome, and the profile and specification that it names."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.fetch.specification import FetchedSpec, fetch_spec, find_mirror
from pipeline.model.diagnostics import Diagnostic, ExitCode, Failure, Place
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import VERSION, Comments, Profile
from pipeline.progress import Progress


@dataclass(frozen=True, slots=True)
class Request:
    """The options of a build; None and empty values leave the choice to the profile.

    `before` names the specification of the published result; the report then shows its schemas, too.
    """

    profile: str = "opensearch"
    spec: str | None = None
    out: Path | None = None
    lock: Path | None = None
    opensearch_version: str | None = None
    groups: tuple[str, ...] = ()
    comments: Comments | None = None
    check: bool = False
    before: str | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a build.

    Attributes:
        target: the folder of the result.
        spec: the specification that was built from.
        changed: the files that differ from the published result; with `--check` none was written.
        report: the report as Markdown; empty if the result was up to date.
        warnings: the diagnostics that need attention but refuse nothing.
        data: the report as data; empty if the result was up to date.
    """

    target: Path
    spec: FetchedSpec
    changed: tuple[str, ...]
    report: str
    warnings: tuple[Diagnostic, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)


class Refused(Failure):
    """A result that a check refused.

    Attributes:
        files: the files of the refused result, by path.
        report: the report as Markdown.
        data: the report as data.
    """

    def __init__(
        self, diagnostics: list[Diagnostic], files: Mapping[str, bytes], report: str, data: Mapping[str, Any]
    ) -> None:
        """Keep the result, which is published nowhere."""
        super().__init__(diagnostics, ExitCode.REFUSED)
        self.files = files
        self.report = report
        self.data = data


def requested_profile(request: Request) -> Profile:
    """Return the profile of a request, with the options that the request overrides.

    Raises:
        Failure: `profile/…`.
    """
    profile = load_profile(request.profile)
    update: dict[str, object] = {}
    if request.opensearch_version:
        if not re.fullmatch(VERSION, request.opensearch_version):
            message = f"`{request.opensearch_version}` is no version"
            place, hint = Place("--opensearch-version"), "write it as major.minor"
            raise Failure(Diagnostic("profile/version", message, place, hint))
        update["opensearch_version"] = request.opensearch_version
    if request.groups:
        update["scope"] = profile.scope.model_copy(update={"operation_groups": request.groups})
    return profile.model_copy(update=update)


def fetch_requested_spec(request: Request, profile: Profile, progress: Progress) -> FetchedSpec:
    """Fetch the specification that the request names, else the one of the profile."""
    with progress.stage("fetch", "the specification"):
        is_local = request.spec is not None or profile.spec.file is not None
        mirror = None if is_local else find_mirror(request.environ, profile.spec.release)
        return fetch_spec(profile.spec, override=request.spec, mirror=mirror, max_bytes=profile.limits.spec_bytes)


def fetch_previous_spec(request: Request, profile: Profile) -> FetchedSpec | None:
    """Fetch the specification of the published result, if the request names it."""
    if request.before is None:
        return None
    return fetch_spec(profile.spec, override=request.before, mirror=None, max_bytes=profile.limits.spec_bytes)
