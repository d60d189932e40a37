"""One file a published benchmark; ``docs/benchmarks.md`` lists them."""
