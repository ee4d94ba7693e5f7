"""Check that the contract carries everything in scope, and that constraints are accounted for."""
