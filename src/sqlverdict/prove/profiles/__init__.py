"""One file per profile: which rules are used, and what counts as the same."""
