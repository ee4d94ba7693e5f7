"""YAML and JSON documents whose values know their position."""
