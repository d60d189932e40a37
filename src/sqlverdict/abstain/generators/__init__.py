"""Generators f, one file each: from a question to SQL."""
