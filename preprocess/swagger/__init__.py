"""Check Swagger 2.0 documents, and locate the parts of the converted document."""
