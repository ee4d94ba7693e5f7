"""Trace schemas through the contract by reading the specification a second time, independently of the conversion."""
