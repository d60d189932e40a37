"""Evaluate systems and read runs."""
