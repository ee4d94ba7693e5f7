"""Pydantic models filled from located documents, with errors that know line and column."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, locate_path


class StrictModel(BaseModel):
    """A frozen model that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], document: LocatedMap, code: str, hint: str) -> Model:
    """Fill a model from a document.

    Args:
        model: what to fill.
        document: from `read_document`.
        code: the code of the diagnostics when it does not fit.
        hint: the remedy that these show.

    Raises:
        Failure: one diagnostic for each thing that does not fit, at the line of the value or the nearest one around it.
    """
    try:
        return model.model_validate(document, strict=False)
    except ValidationError as error:
        raise Failure(
            Diagnostic(code, _sentence(problem), locate_path(document, _path(problem)), hint)
            for problem in error.errors()
        ) from None


_SENTENCES = {
    "extra_forbidden": "is no key that is known here",
    "missing": "is missing",
    "tuple_type": "expected a list",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
}


def _path(problem: Any) -> list[str | int]:
    return [part for part in problem["loc"] if not str(part).startswith("function-")]


def _sentence(problem: Any) -> str:
    where = ".".join(map(str, _path(problem)))
    what = _SENTENCES.get(problem["type"]) or problem["msg"][0].lower() + problem["msg"][1:]
    return f"`{where}`: {what}" if where else what
