"""The vocabulary that all stages share. It imports no other package of the project."""
