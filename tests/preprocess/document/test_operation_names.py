"""Operations without a name get one, and no two operations share one."""

from __future__ import annotations

import pytest

from pipeline.model.diagnostics import Place
from pipeline.model.document.located import make_map
from preprocess.document.operation_names import assign_groups, choose_group, join_path_words


def named(*operations: tuple[str, str, dict[str, str]]) -> list[tuple[str, object, str, str]]:
    """Operations as `distinct` takes them: method, path, and what they say."""
    nodes = [(method, path, make_map(dict(node), Place())) for method, path, node in operations]
    return [(choose_group(node, method, path), node, method, path) for method, path, node in nodes]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/", "get_root"),
        ("/users", "get_users"),
        ("/users/{userId}/posts/{id}", "get_users_by_user_id_posts_by_id"),
        ("/v1/users/{id}.json", "get_v1_users_by_id_json"),
        ("/{a}/{b}", "get_by_a_by_b"),
        ("/jobs:batchGet", "get_jobs_batch_get"),
        ("/range/{from}-{to}", "get_range_by_from_by_to"),
    ],
)
def test_method_and_path_are_words(path: str, words: str) -> None:
    assert join_path_words("get", path) == words


def test_what_stands_once_keeps_its_name() -> None:
    listed = named(("get", "/a", {"operationId": "list"}), ("get", "/b", {}), ("put", "/b", {}))
    assert assign_groups(listed) == ["list", "get_b", "put_b"]


def test_the_first_of_one_name_keeps_it() -> None:
    listed = named(
        ("get", "/a", {"operationId": "list"}),
        ("get", "/b", {"operationId": "list"}),
        ("get", "/b", {"operationId": "list"}),
        ("get", "/c", {"operationId": "LIST"}),
        ("get", "/d-e", {}),
        ("get", "/d_e", {}),
    )
    assert assign_groups(listed) == ["list", "list_get_b", "list_get_b_2", "LIST", "get_d_e", "get_d_e_2"]


def test_operations_of_one_group_stay_together() -> None:
    listed = named(
        ("get", "/a", {"operationId": "list"}),
        ("get", "/b", {"x-operation-group": "list", "operationId": "list"}),
        ("get", "/c", {"x-operation-group": "list", "operationId": "list.1"}),
    )
    assert assign_groups(listed) == ["list_get_a", "list", "list"]
