"""Convert schemas into messages, enums and field types."""
