"""One file a metric; ``docs/metrics.md`` lists them."""
