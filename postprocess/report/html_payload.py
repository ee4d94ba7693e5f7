"""What the HTML report can look up, as the text that stands in it, and the schemas shown, as they are kept."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.model.contract import Contract
from postprocess.report.inline_json import script_json
from postprocess.report.search_index import Material, Schemas, atlas, schemas_of


@dataclass(frozen=True, slots=True)
class Pages:
    """The atlas as JSON for a script element, and the schemas that it shows as compressed JSON, by pointer."""

    text: str = "{}"
    schemas: bytes = b""


def pages_of(contract: Contract, material: Material, changed: Iterable[str]) -> Pages:
    """Everything that can be looked up; see `postprocess.report.search_index.atlas` for what goes in."""
    found = atlas(contract, material, changed)
    schemas = json.dumps(schemas_of(found), ensure_ascii=False, separators=(",", ":"), default=str)
    return Pages(script_json(found), gzip.compress(schemas.encode(), mtime=0))


def read_schemas(path: Path) -> Schemas | None:
    """The schemas that a file keeps; one that is damaged, or not there, is as good as none."""
    try:
        found: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, zlib.error, ValueError):
        return None
    return found.__getitem__
