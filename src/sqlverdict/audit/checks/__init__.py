"""One file per check of the data."""
