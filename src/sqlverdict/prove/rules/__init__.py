"""One file per rule. The file, the function and the rule share one name."""
