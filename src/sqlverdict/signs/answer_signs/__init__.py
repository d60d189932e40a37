"""Signs in what a query returns: its rows, their order and their number; one file per sign."""
