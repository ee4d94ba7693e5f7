"""The parts of a report that no check decides: drafted while other processes check."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pipeline.build.inputs import Inputs
from pipeline.model.document.located import resolve_pointer
from postprocess.report.html_payload import Pages, build_pages
from postprocess.report.search_index import Material
from postprocess.report.version_matrix import build_version_matrix
from preprocess.document.version_marks import collect_version_marks
from preprocess.passes import Preprocessed


class Drafts:
    """Each part is worked out once, when it is first asked for."""

    def __init__(self, inputs: Inputs, done: Preprocessed, texts: dict[str, str]) -> None:
        """Work out nothing yet.

        Args:
            inputs: what the build is made from, and what was there before.
            done: the contract and its changes.
            texts: what is published, by path.
        """
        self._inputs = inputs
        self._done = done
        self._texts = texts

    @cached_property
    def files(self) -> dict[str, bytes]:
        """What is published."""
        return {name: text.encode() for name, text in self._texts.items()}

    @cached_property
    def matrix(self) -> dict[str, Any]:
        """Which protos work with which versions of the API."""
        done = self._done
        return build_version_matrix(
            done.contract, done.lock, collect_version_marks(done.document), self._inputs.servers
        )

    @cached_property
    def material(self) -> Material:
        """The files and schemas that the pages show."""
        document = self._done.document
        return Material(
            after=self.files,
            before=self._inputs.before,
            schema=lambda pointer: resolve_pointer(document, pointer),
            earlier=self._inputs.earlier(),
        )

    @cached_property
    def pages(self) -> Pages:
        """What can be looked up."""
        return build_pages(self._done.contract, self.material, [event.element for event in self._done.events])

    def draft(self) -> None:
        """Work out all of them."""
        _ = self.matrix, self.pages
