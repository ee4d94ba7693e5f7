"""The unions that no value tells apart are listed, and no others."""

from __future__ import annotations

from collections.abc import Callable

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from spec2proto_codec import HttpCodec
from spec2proto_codec.plans.ambiguous_variants import AmbiguousVariants, find_ambiguous_variants


def test_variants_that_some_value_tells_apart_are_not_listed(codec: Callable[..., HttpCodec]) -> None:
    assert [
        found for stem in ("any-of", "union", "forms") for found in find_ambiguous_variants(codec(stem).plans)
    ] == []


def test_two_objects_of_the_same_properties_are_not_told_apart(
    bindings: dict[str, tuple[FileDescriptorSet, dict[str, object]]],
) -> None:
    found = find_ambiguous_variants(HttpCodec(*bindings["twins"]).plans)
    assert found == [AmbiguousVariants("twins.v1.Either", "left", "right")]
