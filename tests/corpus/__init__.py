"""Public API descriptions, a random sample of them, built by the real command line: `make corpus`."""
