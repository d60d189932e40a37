"""Candidates for a better gold, one file per way to find them."""
