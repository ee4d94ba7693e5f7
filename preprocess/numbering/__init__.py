"""Assign field and enum numbers from the lock, and files to messages."""
