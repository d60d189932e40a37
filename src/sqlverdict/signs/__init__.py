"""Signs that a query does not do what its author meant: one query, its schema and its data.

``sign``           what a sign is, what it looks at, and the registry
``query_signs/``   signs in what a query says, one file each
``answer_signs/``  signs in what a query returns, one file each
``look``           look_at(): every sign of one query, in a fixed order
``mend``           a query with the errors mended that its signs show
``lint``           many queries, one after the other
``literals``       the literals that a query compares columns with
``columns``        what the data of a column look like, from one scan
``open_limits``    what a query leaves open: ties, LIMIT without ORDER BY, bare columns, the clock
``mentions``       the values that a query asks for, and whether a text mentions them

A sign is no verdict. It never needs a gold, and a query with a sign may be right.
"""
