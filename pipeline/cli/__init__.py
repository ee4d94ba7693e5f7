"""The command line: one module per command; reads arguments, prints, and sets the exit code."""
