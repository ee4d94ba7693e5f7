"""Check that everything in scope is carried by the contract."""
