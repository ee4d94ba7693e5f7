"""Convert scalars, vectors and open JSON values; read and write spelling notes."""
