"""Which rpcs a real server answers is on record, for the report and the guide."""

from __future__ import annotations

from pipeline.build.inputs import read_served
from pipeline.model.profile.load import load_profile

from .distribution import VERSION
from .served import PROFILE, answered
from .server import Server


def test_what_the_server_answers_is_on_record(server: Server) -> None:
    known = read_served(load_profile(PROFILE)).servers
    assert known.get(VERSION) == tuple(answered(server)), "renew it with `python -m tests.live.served`"
