"""Spider's exact set match: two queries compared clause by clause, as sets.

``keys``       columns that foreign keys make one column
``names``      which table's column a name means
``units``      expressions and conditions as texts that can be compared
``components`` a query cut into its clauses
``match``      the comparison: :func:`~sqlverdict.compare.exact_set.match.exact_set_match`
"""
