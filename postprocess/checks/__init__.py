"""Check compiled descriptors: protovalidate options, HTTP annotations, binding."""
