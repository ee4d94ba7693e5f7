"""Packages for languages: they build, and each reads what the others wrote."""
