"""Proofs that two queries agree on every legal database, by rules that the schema verifies."""
