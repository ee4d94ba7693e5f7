"""The names of the language packages in a profile."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field as Rule

from pipeline.model.document.validated import StrictModel

Package = Annotated[str, Rule(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$")]


class Bindings(StrictModel):
    """The names of the language packages; by default they are derived from the protobuf package.

    Attributes:
        python: the name of the distribution.
        python_packages: first folder of the proto files → the Python package that replaces it.
        npm: the name of the npm package.
        maven_group: the Maven group.
        maven_artifact: the Maven artifact.
    """

    python: Annotated[str, Rule(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")] | None = None
    python_packages: dict[str, Package] = Rule(default_factory=dict)
    npm: Annotated[str, Rule(pattern=r"^(@[a-z0-9-]+/)?[a-z0-9-]+$")] | None = None
    maven_group: Package | None = None
    maven_artifact: Annotated[str, Rule(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")] | None = None
