"""Choose the operation group of each operation. A group becomes one rpc.

Sources: OpenAPI 3.1.0, section 4.8.10 (`operationId` is unique among all operations); buf lint rule RPC_PASCAL_CASE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import find_free_name, format_snake

_PARAMETER = re.compile(r"\{([^{}]*)\}")


def choose_group(node: LocatedMap, method: str, path: str) -> str:
    """Return the `x-operation-group` of an operation, else its `operationId`, else its method and path as words."""
    group = node.get("x-operation-group") or node.get("operationId")
    return str(group) if group else join_path_words(method, path)


def join_path_words(method: str, path: str) -> str:
    """Return a method and a path as words: `GET /users/{id}/posts` → `get_users_by_id_posts`."""
    pieces = [(piece, index % 2 == 1) for index, piece in enumerate(_PARAMETER.split(path))]
    words = [
        f"by_{format_snake(piece)}" if is_parameter else format_snake(piece)
        for piece, is_parameter in pieces
        if any(char.isalnum() for char in piece)
    ]
    return "_".join([method, *(words or ["root"])])


def assign_groups(operations: Iterable[tuple[str, LocatedMap, str, str]]) -> list[str]:
    """Return the group of each operation, in the same order; an item starts with the name from `choose_group`.

    Operations with the same `x-operation-group` share a group. Other operations with equal names do not: the first one
    keeps the name, others get method and path as a suffix.
    """
    entries = list(operations)
    used = {name for name, node, _, _ in entries if node.get("x-operation-group")}
    groups = []
    for name, node, method, path in entries:
        group = name
        if not node.get("x-operation-group"):
            longer = f"{name}_{join_path_words(method, path)}" if node.get("operationId") else name
            group = name if name not in used else find_free_name(longer, lambda candidate: candidate not in used)
            used.add(group)
        groups.append(group)
    return groups
