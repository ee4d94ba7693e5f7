"""What a build is made from, not yet understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.fetch.specification import FetchedSpec
from pipeline.model.lock.model import Lock
from pipeline.model.profile.profile import Comments, Profile
from postprocess.report.search_index import Schemas


@dataclass
class Inputs:
    """What a build is made from.

    Attributes:
        profile: with what the user asked for otherwise.
        spec: as fetched.
        locked: reads the lock when it is asked for.
        overlays: by the path that diagnostics show.
        comments: how much the protos explain.
        environ: to find Java and the jar.
        partial: whether only a part of what was published is built.
        servers: the rpcs that each server answers.
        before: the files of the result as they are now.
        earlier: finds the schemas that these were made from.
    """

    profile: Profile
    spec: FetchedSpec
    locked: Callable[[], Lock]
    overlays: dict[str, bytes]
    comments: Comments
    environ: Mapping[str, str]
    partial: bool = False
    servers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    before: Mapping[str, bytes] = field(default_factory=dict)
    earlier: Callable[[], Schemas | None] = lambda: None

    @cached_property
    def lock(self) -> Lock:
        """What was published."""
        return self.locked()
