"""Check that samples of every message survive JSON to protobuf and back."""
