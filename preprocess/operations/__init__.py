"""Convert operations into services, rpcs, request and response messages."""
