"""Build the data behind the HTML page: the search index as JSON text, and the schemas as compressed JSON."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.model.contract import Contract
from postprocess.report.inline_json import format_script_json
from postprocess.report.search_index import Material, Schemas, build_search_index, list_shown_schemas


@dataclass(frozen=True, slots=True)
class Pages:
    """The data of the page: the search index as JSON for a script, and its schemas by pointer as compressed JSON."""

    text: str = "{}"
    schemas: bytes = b""


def build_pages(contract: Contract, material: Material, changed: Iterable[str]) -> Pages:
    """Build the search index and collect the schemas that it shows; see `build_search_index` for the arguments."""
    index = build_search_index(contract, material, changed)
    schemas = json.dumps(list_shown_schemas(index), ensure_ascii=False, separators=(",", ":"), default=str)
    return Pages(format_script_json(index), gzip.compress(schemas.encode(), mtime=0))


def read_schemas(path: Path) -> Schemas | None:
    """Read the schemas that an earlier build stored; return None if the file is missing or damaged."""
    try:
        schemas: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    return schemas.__getitem__
