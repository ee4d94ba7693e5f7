"""Run OpenAPI Generator on the canonical spec and assemble its output into proto files."""
