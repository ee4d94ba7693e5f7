"""The vocabulary that all stages share; it imports nothing else of the project."""
