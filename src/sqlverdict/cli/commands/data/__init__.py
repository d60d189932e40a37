"""Check and build benchmarks, and run systems that abstain."""
