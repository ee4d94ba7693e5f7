"""Run protoc and buf."""
