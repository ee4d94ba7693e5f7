"""Tests that talk to a real OpenSearch over gRPC, with stubs generated from the protos of this repository."""
