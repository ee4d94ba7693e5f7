"""The lock: the memory of every name and number ever published."""
