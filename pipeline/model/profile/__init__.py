"""The profile: what to convert into what."""
