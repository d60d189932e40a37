"""One file per published benchmark; ``docs/benchmarks.md`` lists them."""
