"""Verify, compare, merge and import locks."""
