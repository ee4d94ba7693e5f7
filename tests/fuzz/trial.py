"""One mutated specification through every stage that is Python: what became of it, and what may not."""

from __future__ import annotations

import json
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from types import FrameType
from typing import Any

from pipeline.build.inputs import Inputs
from pipeline.build.limits import allow_deep_recursion
from pipeline.build.stages import fill_inputs
from pipeline.fetch.content import verify_content
from pipeline.fetch.specification import FetchedSpec
from pipeline.model.diagnostics import Failure
from pipeline.model.document.located import read_document
from pipeline.model.lock.model import Lock, create_empty_lock
from pipeline.model.lock.text import format_lock, parse_lock
from pipeline.model.profile.load import load_profile
from pipeline.model.profile.profile import Profile
from postprocess.binding.writer import format_binding
from preprocess.canonical.canonical import build_canonical_spec
from preprocess.passes import preprocess
from preprocess.records import PreprocessResult
from preprocess.swagger.check import check_swagger, is_swagger, prepare_swagger, select_converter_input
from tests.fuzz.bases import Document

LONGEST = 20
NAME = "spec.json"


class TooLong(BaseException):
    """Raised in a trial that does not end; nothing that handles errors may catch it."""


@dataclass(frozen=True)
class Trial:
    """What became of one document.

    Attributes:
        codes: of the diagnostics that refused it.
        fault: the traceback, or what else may not be; empty where all is well.
        made: what goes on to the generator, if anything does.
    """

    codes: tuple[str, ...] = ()
    fault: str = ""
    made: Made | None = None

    @property
    def kind(self) -> str:
        """What a shrunk document must still show: the last line of the traceback and where it was raised."""
        lines = self.fault.strip().splitlines()
        frames = [line.strip() for line in lines if line.lstrip().startswith("File ")]
        return f"{frames[-1] if frames else ''} {lines[-1].partition(':')[0] if lines else ''}".strip()


@dataclass(frozen=True)
class Made:
    """A contract, and what it was made from."""

    done: PreprocessResult
    inputs: Inputs
    canonical: dict[str, Any]


@contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Ends what takes longer; on the main thread."""

    def end(_number: int, _frame: FrameType | None) -> None:
        raise TooLong(f"over {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@cache
def profile() -> Profile:
    """The profile that all trials share."""
    return load_profile("generic").model_copy(update={"comments": "full", "constraints": "protovalidate"})


def text_of(document: Document) -> bytes:
    """A document as a user would save it."""
    return json.dumps(document, ensure_ascii=True).encode()


def guarded(step: Callable[[], Trial]) -> Trial:
    """A step, with anything but a `Failure` told as a fault."""
    try:
        with limited(LONGEST):
            return step()
    except Failure as failure:
        return Trial(codes=tuple(sorted({diagnostic.code for diagnostic in failure.diagnostics})))
    except (Exception, TooLong):
        return Trial(fault=traceback.format_exc())


def attempt(document: Document, lock: Lock | None = None) -> Trial:
    """Read and preprocess a document, from an empty lock or from that of an earlier state."""
    return guarded(lambda: _attempt(text_of(document), lock))


def _attempt(content: bytes, lock: Lock | None) -> Trial:
    digest = verify_content(content, NAME)
    document = read_document(content, NAME)
    if is_swagger(document):
        check_swagger(document)
        json.dumps(select_converter_input(prepare_swagger(document)), ensure_ascii=False)
        return Trial()
    known = lock or create_empty_lock(profile().package)
    spec = FetchedSpec(content, NAME, digest, "file")
    inputs = fill_inputs(Inputs(profile(), spec, known, {}, "full", {}), document)
    with allow_deep_recursion(document.place):
        done = preprocess(document, inputs.profile, inputs.lock, [])
    named = inputs.profile
    canonical = build_canonical_spec(done.contract, done.services, named, "full")
    format_binding(done.contract, named.package)
    text = format_lock(done.lock)
    if format_lock(parse_lock(text, "lock.yaml")) != text:
        return Trial(fault="the lock is not read as it is written")
    return Trial(made=Made(done, inputs, canonical))


def peak_mb() -> int:
    """The most memory that this process ever held."""
    import resource  # noqa: PLC0415 - not on Windows, where the fuzzer does not run

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1024**2)
