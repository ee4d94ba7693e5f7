"""Scalars, dynamic values and spelling notes."""
