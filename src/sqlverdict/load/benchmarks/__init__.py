"""One file a benchmark format; ``docs/benchmarks.md`` lists them."""
