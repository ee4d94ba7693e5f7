"""Check compiled descriptors: options, HTTP annotations, binding."""
