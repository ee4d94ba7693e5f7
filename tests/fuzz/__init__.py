"""Specifications mutated at random: protos that compile, or a diagnostic; never a traceback, never a hang."""
