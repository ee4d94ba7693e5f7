"""Read the specification a second time, beside the contract, independently of the conversion."""
