"""The unions that no value tells apart are listed, and no others."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from spec2proto_codec import HttpCodec
from spec2proto_codec.plans.ambiguous_variants import Indistinct, indistinct


def test_variants_that_some_value_tells_apart_are_not_listed(codec: Callable[..., HttpCodec]) -> None:
    assert [found for stem in ("any-of", "union", "forms") for found in indistinct(codec(stem).plans)] == []


def test_two_objects_of_the_same_properties_are_not_told_apart(
    bindings: dict[str, tuple[FileDescriptorSet, dict[str, object]]],
) -> None:
    found = indistinct(HttpCodec(*bindings["twins"]).plans)
    assert found == [Indistinct("twins.v1.Either", "left", "right")]
