"""From an OpenAPI document to the canonical spec, one pass a module."""
