"""The lock: every name and number ever published."""
