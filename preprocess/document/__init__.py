"""Read, check, prune and normalize the OpenAPI document."""
