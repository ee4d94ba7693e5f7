"""Plan the protovalidate options that express the constraints of schemas."""
