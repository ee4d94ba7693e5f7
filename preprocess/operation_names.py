"""Operation names: to which group each operation belongs, and what an operation without a name is called.

A group is one rpc. Sources: OpenAPI 3.1.0, section 4.8.10 (`operationId` is unique among all operations);
buf lint rule RPC_PASCAL_CASE.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from pipeline.model.located import Mapping
from preprocess.texts import message_name, snake

_PARAMETER = re.compile(r"\{([^{}]*)\}")


def group_of(node: Mapping, method: str, path: str) -> str:
    """The group of an operation: its `x-operation-group`, else its `operationId`, else method and path as words."""
    group = node.get("x-operation-group") or node.get("operationId")
    return str(group) if group else path_words(method, path)


def path_words(method: str, path: str) -> str:
    """Method and path as words: `GET /users/{id}/posts` → `get_users_by_id_posts`."""
    parts = [(part, at % 2 == 1) for at, part in enumerate(_PARAMETER.split(path))]
    words = [
        f"by_{snake(part)}" if parameter else snake(part)
        for part, parameter in parts
        if any(char.isalnum() for char in part)
    ]
    return "_".join([method, *(words or ["root"])])


def distinct(named: Iterable[tuple[str, Mapping, str, str]], known: Set[str]) -> list[str]:
    """The groups of all operations, no two of which would be rpcs of one name.

    Operations of one `x-operation-group` belong together. Any others that share a name, be it that only case or
    punctuation tells them apart, do not: the first one keeps it, another has method and path behind it.

    Args:
        named: the group of each operation as `group_of` gives it, with the operation, its method and its path.
        known: groups that were published earlier, which keep their names.

    Returns:
        The groups, in the order of the operations.
    """
    listed = list(named)
    taken = {_name(group): group for group, node, _, _ in listed if node.get("x-operation-group")}
    found = [group for group, _, _, _ in listed]
    order = sorted(range(len(listed)), key=lambda at: found[at] not in known)
    for at in order:
        group, node, method, path = listed[at]
        if node.get("x-operation-group"):
            continue
        if _name(group) in taken:
            found[at] = f"{group}_{path_words(method, path)}"
        taken[_name(found[at])] = found[at]
    return found


def _name(group: str) -> str:
    return message_name(group).lower()
