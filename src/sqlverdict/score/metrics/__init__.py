"""One file per metric; ``docs/metrics.md`` lists them."""
