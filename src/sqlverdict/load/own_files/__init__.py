"""One file per format of users' own files of cases; ``docs/benchmarks.md`` lists them."""
