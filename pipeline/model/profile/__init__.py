"""The profile: what to convert, and how."""
