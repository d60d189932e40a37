"""What the two queries look at.

``reading``         what a search needs to know about one or two queries
``columns``         which base column a reference means
``constants``       what the queries compare their columns with
``expressions``     parts of an expression: literals, operands, scalar subqueries
``derived_values``  values that they ask for without naming them: sums, shifted dates, lengths
``patterns``        regular expressions as patterns of LIKE
``json_paths``      JSON texts for the paths that they look at
``views``           views and generated columns, written out before a query is read
``part``            the tables that two queries touch; no other is made
``refusal``         why no search can be made
"""
