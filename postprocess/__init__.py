"""Checks on the generated protos: descriptors, lock, lint, breaking changes, coverage, report."""
