"""A query in parts that can be compared with another's, for tags.

``parts``       tables, conditions, keys and outputs of a query
``columns``     which table a column belongs to, and what the schema says about it
``conditions``  which conditions join, ask for a subquery's value, or are left
``computed``    functions, aggregates and arithmetic
``text``        one text for an expression, whatever its spelling
``readable``    an expression as a reader knows it: tables by their names
"""
