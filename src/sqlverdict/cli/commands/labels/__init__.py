"""Compare with human labels."""
