"""Document formats: JSON, CBOR and SMILE."""
