"""Signs in what a query says: its conditions, joins and values; one file per sign."""
