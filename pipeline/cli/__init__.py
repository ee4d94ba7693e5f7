"""The command line: one module for each command, which reads its options, prints its result and sets the exit code."""
