"""Language bindings: packages for Python, Java, Go and TypeScript from the protos of a profile."""
