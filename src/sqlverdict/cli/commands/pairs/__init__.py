"""Two queries: proofs and witnesses."""
