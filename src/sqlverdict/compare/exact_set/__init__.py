"""Spider's exact set match: two queries compared clause by clause, as sets.

``match``           the comparison: :func:`~sqlverdict.compare.exact_set.match.exact_set_match`
``components``      a query cut into its clauses
``units``           expressions and conditions as texts that can be compared
``names``           which table's column a name means
``script_grammar``  what the parser of Spider's script accepts
"""
