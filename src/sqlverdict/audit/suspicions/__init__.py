"""One file a suspicion against a gold query."""
