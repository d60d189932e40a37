"""One file a check; see ``sqlverdict.audit.check``."""
