"""Decode protobuf messages to JSON values."""
