"""One file a metric, and what turns values into estimates, tests and summaries."""
