"""JSON to protobuf messages."""
