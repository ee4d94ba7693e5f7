"""Choose the names of messages, fields and JSON keys."""
