"""Write the canonical spec: the input of OpenAPI Generator."""
