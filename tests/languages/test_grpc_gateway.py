"""grpc-gateway's own generator takes the HTTP rules that builds make."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.languages import tools
from tests.support import ROOT

EXAMPLE = ROOT / "protos" / "example"


def test_the_example_is_served(tmp_path: Path) -> None:
    text = tools.generate_gateway(EXAMPLE, tmp_path / "gateway")
    for part in ("http.MethodHead, pattern_CatalogService_HasRecord_0", "&protoReq.SearchBody", "response.Shelf"):
        assert part in text


def test_the_body_of_a_get_is_refused(tmp_path: Path) -> None:
    """The rules leave it out because of this; when grpc-gateway takes it one day, they can give it."""
    protos = tmp_path / "protos"
    shutil.copytree(EXAMPLE, protos)
    service = protos / "folio" / "catalog" / "v1" / "catalog_service.proto"
    text = service.read_text()
    assert 'get: "/search"\n' in text
    service.write_text(text.replace('get: "/search"\n', 'get: "/search"\n        body: "search_body"\n'))
    with pytest.raises(AssertionError, match="must not set request body when http method is GET"):
        tools.generate_gateway(protos, tmp_path / "gateway")
