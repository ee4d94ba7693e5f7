"""Requests and responses of a REST API to rpc messages and back."""
