"""What is looked for in a benchmark, one file per lint."""
