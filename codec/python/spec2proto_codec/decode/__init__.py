"""Protobuf messages to JSON."""
