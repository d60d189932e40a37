"""Examine queries: proofs and counterexamples."""
