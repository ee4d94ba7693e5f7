"""Which tests cover which trap that other tools fell into: each trap has at least one, and each named test exists."""

from __future__ import annotations

import ast

import pytest

from tests.support import ROOT

# Each trap that other tools fell into, and the tests that keep this one out of it.
COVERED = {
    "A number used twice across releases": [
        "opensearch/test_contract.py::test_a_number_with_two_meanings_is_on_record",
        "opensearch/test_contract.py::test_numbers_free_today_are_reserved_in_the_protos",
        "preprocess/numbering/test_field_numbers.py::test_a_number_keeps_its_meaning_through_any_history",
    ],
    "Clean check, lost API": [
        "postprocess/coverage/test_gate.py::test_every_removed_field_is_reported",
        "postprocess/coverage/test_gate.py::test_parameter_must_be_in_the_request_of_its_own_group",
        "opensearch/test_contract.py::test_nothing_in_scope_is_lost",
        "preprocess/document/test_references.py::test_a_path_item_may_be_a_reference",
    ],
    "Request message and body schema of one name": [
        "lessons/test_traps.py::test_request_and_body_of_one_name_are_two_messages",
    ],
    "Namespace stripped, last one wins": [
        "lessons/test_traps.py::test_schemas_of_one_name_in_two_namespaces_are_two_messages",
        "opensearch/test_full.py::test_every_component_schema_has_a_name_of_its_own",
    ],
    "The suffix of a name taken for a version": [
        "preprocess/numbering/test_field_numbers.py::test_without_a_tie_a_suffix_means_nothing",
        "preprocess/numbering/test_field_numbers.py::test_a_property_that_comes_back_gets_its_number_back",
        "pipeline/model/test_identifiers.py::test_snake_case_is_stable",
        "postprocess/test_checks.py::test_a_reserved_number_must_stay_reserved",
    ],
    "Enum values renumbered": [
        "lessons/test_traps.py::test_a_value_inserted_first_moves_no_other",
        "postprocess/test_checks.py::test_an_edit_by_hand_is_told",
        "postprocess/test_checks.py::test_buf_sees_what_breaks_the_contract_that_the_lock_remembers",
    ],
    "Hash numbers": [
        "preprocess/numbering/test_field_numbers.py::test_the_order_of_properties_does_not_matter",
        "preprocess/numbering/test_field_numbers.py::test_numbers_that_protobuf_keeps_for_itself_are_skipped",
    ],
    "A generator upgrade moves the API": ["opensearch/test_determinism.py::test_the_old_and_the_new_generator_agree"],
    "`map&lt;string` in service files": [
        "lessons/test_traps.py::test_a_map_is_no_markup",
        "lessons/test_traps.py::test_names_that_spelling_makes_one_are_two",
        "lessons/test_traps.py::test_lists_and_maps_in_a_union_and_lists_of_lists_have_messages",
        "lessons/test_traps.py::test_what_may_be_anything_has_a_field",
    ],
    "PATCH-only groups never emitted": [
        "lessons/test_traps.py::test_every_kind_of_operation_has_an_rpc",
        "lessons/test_traps.py::test_a_dotted_parameter_is_a_field",
        "opensearch/test_full.py::test_every_operation_group_has_one_rpc",
    ],
    "An rpc named like a message shadows it": ["lessons/test_traps.py::test_an_rpc_may_be_called_like_a_message"],
    "The gate runs only on generated pull requests": [
        "postprocess/test_checks.py::test_the_command_refuses_edited_protos",
    ],
    "Protobuf's own JSON mapping is not the REST API's": [
        "opensearch/test_operations.py::test_requests_and_answers_come_back",
        "opensearch/test_codec.py::test_what_the_published_contract_covers_is_lossless",
        "opensearch/test_codec.py::test_everything_that_is_valid_is_lossless_in_the_whole_api",
    ],
}


@pytest.mark.parametrize("trap", COVERED)
def test_every_test_that_is_named_exists(trap: str) -> None:
    assert COVERED[trap]
    for test in COVERED[trap]:
        file, _, name = test.partition("::")
        tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
        assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, test
