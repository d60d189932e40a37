"""Check data, build benchmarks, abstain."""
