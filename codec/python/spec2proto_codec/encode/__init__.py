"""Encode JSON values as protobuf messages."""
