"""Plan the protovalidate options that carry the constraints of schemas."""
