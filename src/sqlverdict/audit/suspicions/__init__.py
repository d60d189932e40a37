"""One file per suspicion against a gold query."""
