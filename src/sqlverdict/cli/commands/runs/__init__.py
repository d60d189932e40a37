"""Evaluate systems and read their runs."""
