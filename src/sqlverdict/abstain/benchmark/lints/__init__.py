"""What is looked for in a benchmark, one file a lint."""
