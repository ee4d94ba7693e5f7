"""Fill pydantic models from located documents; errors show line and column."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.model.diagnostics import Diagnostic, Failure
from pipeline.model.document.located import LocatedMap, locate_path


class StrictModel(BaseModel):
    """A frozen model that refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], document: LocatedMap, code: str, hint: str) -> Model:
    """Fill a model from a document of `read_document`.

    Raises:
        Failure: a diagnostic of this code and hint for each error, at the line of the value or of its nearest parent.
    """
    try:
        return model.model_validate(document, strict=False)
    except ValidationError as error:
        raise Failure(
            Diagnostic(code, _describe_error(item), locate_path(document, _get_path(item)), hint)
            for item in error.errors()
        ) from None


_DESCRIPTIONS = {
    "extra_forbidden": "unknown key",
    "missing": "this key is required",
    "tuple_type": "expected a list",
    "dict_type": "expected a mapping",
    "model_type": "expected a mapping",
}


def _get_path(error: Any) -> list[str | int]:
    return [step for step in error["loc"] if not str(step).startswith("function-")]


def _describe_error(error: Any) -> str:
    path = ".".join(map(str, _get_path(error)))
    description = _DESCRIPTIONS.get(error["type"]) or error["msg"][0].lower() + error["msg"][1:]
    return f"`{path}`: {description}" if path else description
