"""Derive `google.api.http` annotations from the HTTP forms of operations."""
