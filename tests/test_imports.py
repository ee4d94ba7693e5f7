"""No module and no package imports itself by way of others; imports for type checkers count."""

from __future__ import annotations

import grimp
import networkx
import pytest

PACKAGES = ("pipeline", "preprocess", "postprocess", "spec2proto_codec")


@pytest.fixture(scope="module")
def imports() -> list[tuple[str, str]]:
    """List the pairs of importing and imported module."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)
    return [
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    ]


def cycles(edges: list[tuple[str, str]]) -> list[list[str]]:
    graph = networkx.DiGraph([(importer, imported) for importer, imported in edges if importer != imported])
    return [sorted(group) for group in networkx.strongly_connected_components(graph) if len(group) > 1]


def package(module: str) -> str:
    """Return the package of a module below the top ones; a module of a top package stands for itself."""
    return ".".join(module.split(".")[:2])


def test_no_module_imports_itself_through_others(imports: list[tuple[str, str]]) -> None:
    assert len(imports) > 500
    assert cycles(imports) == []


def test_no_package_imports_itself_through_others(imports: list[tuple[str, str]]) -> None:
    assert cycles([(package(importer), package(imported)) for importer, imported in imports]) == []
