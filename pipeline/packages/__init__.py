"""Build language packages (Python, Java, Go, TypeScript) from the protos."""
