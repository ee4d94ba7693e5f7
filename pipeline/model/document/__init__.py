"""YAML and JSON documents whose values know their line and column."""
