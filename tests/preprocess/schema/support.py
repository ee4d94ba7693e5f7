"""A converter for schemas that need no document around them."""

from __future__ import annotations

from typing import Any

from pipeline.model.diagnostics import NOWHERE
from pipeline.model.document.located import LocatedMap, make_list, make_map
from pipeline.model.lock.model import create_empty_lock
from pipeline.model.profile.profile import Conversion
from pipeline.model.source import SchemaSource
from preprocess.document.versions import VersionRule
from preprocess.naming.hints import NameHint
from preprocess.naming.message_names import Namer
from preprocess.schema.converter import Converter

HINT = NameHint(SchemaSource.for_component("Thing"), "Thing")


def locate(value: Any) -> Any:
    """Return a JSON value as a document holds it."""
    if isinstance(value, dict):
        return make_map({key: locate(item) for key, item in value.items()}, NOWHERE)
    return make_list([locate(item) for item in value], NOWHERE) if isinstance(value, list) else value


def make_converter(schemas: dict[str, Any] | None = None, **options: Any) -> Converter:
    """Return a converter for component schemas, with options of a profile."""
    located: dict[str, LocatedMap] = {key: locate(schema) for key, schema in (schemas or {}).items()}
    namer = Namer(create_empty_lock("a.v1"), {}, "___")
    return Converter(located, namer, Conversion(**options), VersionRule(None), {})
