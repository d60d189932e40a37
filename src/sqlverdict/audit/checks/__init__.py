"""One file a check of the data."""
