"""What the two queries look at.

``reading``         what a search needs to know about one or two queries
``hint``            a value that a query compares a column with
``columns``         which base column a reference means
``constants``       what the queries compare their columns with
``comparisons``     what a comparison asks of a row, by where it stands
``expressions``     parts of an expression: literals, operands, scalar subqueries
``computed``        columns that meet what is computed of another one
``derived_values``  values that they ask for without naming them: sums, shifted dates, lengths
``own_words``       letter case, rounding, lists and intervals, in the words of the engine
``calls``           which functions are called on which columns
``moments``         how long ago a moment was, and how long something lasts
``stars``           for which columns a star stands
``patterns``        regular expressions as patterns of LIKE
``regex_texts``     texts that match a regular expression
``json_paths``      JSON texts for the paths that they look at
``views``           views and generated columns, written out before a query is read
``part``            the tables that two queries touch; no other is made
``refusal``         why no search can be made
"""
