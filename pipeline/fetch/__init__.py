"""Fetch the specification from a file, a release asset or a mirror."""
