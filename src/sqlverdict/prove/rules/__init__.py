"""One file per rule that holds on every legal database. File, function and rule share one name."""
