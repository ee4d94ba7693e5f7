"""The formats that a JSON value may be written in: JSON, CBOR and SMILE."""
