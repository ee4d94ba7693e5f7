"""Explain one element of the contract: its source, rules, number and JSON."""
