"""Operation names: to which group each operation belongs, and what an operation without a name is called.

A group is one rpc. Sources: OpenAPI 3.1.0, section 4.8.10 (`operationId` is unique among all operations);
buf lint rule RPC_PASCAL_CASE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipeline.model.document.located import LocatedMap
from pipeline.model.identifiers import find_free_name, format_snake

_PARAMETER = re.compile(r"\{([^{}]*)\}")


def choose_group(node: LocatedMap, method: str, path: str) -> str:
    """The group of an operation: its `x-operation-group`, else its `operationId`, else method and path as words."""
    group = node.get("x-operation-group") or node.get("operationId")
    return str(group) if group else join_path_words(method, path)


def join_path_words(method: str, path: str) -> str:
    """Method and path as words: `GET /users/{id}/posts` → `get_users_by_id_posts`."""
    parts = [(part, at % 2 == 1) for at, part in enumerate(_PARAMETER.split(path))]
    words = [
        f"by_{format_snake(part)}" if parameter else format_snake(part)
        for part, parameter in parts
        if any(char.isalnum() for char in part)
    ]
    return "_".join([method, *(words or ["root"])])


def assign_groups(named: Iterable[tuple[str, LocatedMap, str, str]]) -> list[str]:
    """The groups of all operations, with no operation in another's group by accident.

    Operations of one `x-operation-group` belong together. Others that have one name do not: the first one keeps it,
    another has method and path behind it. What is only spelled alike is kept apart like all names: `scope.select`.

    Args:
        named: the group of each operation as `group_of` gives it, with the operation, its method and its path.

    Returns:
        The groups, in the order of the operations.
    """
    listed = list(named)
    taken = {group for group, node, _, _ in listed if node.get("x-operation-group")}
    found = []
    for group, node, method, path in listed:
        own = group
        if not node.get("x-operation-group"):
            longer = f"{group}_{join_path_words(method, path)}" if node.get("operationId") else group
            own = group if group not in taken else find_free_name(longer, lambda name: name not in taken)
            taken.add(own)
        found.append(own)
    return found
