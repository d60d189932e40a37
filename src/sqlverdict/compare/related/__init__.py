"""Finds relations between two answers and checks their proofs: what the members share.

``relate``          ``relate`` finds the relations of two answers; ``verify`` checks one
``table``           one answer seen as columns, and what a proof on it is worth
``table_pair``      two answers side by side, with what several relations ask
``search``          which prediction column stands for which gold column
``check``           checks a claimed map of columns without a search
``proofs``          the types of proofs that several relations share, and their words
``contain``         one answer within the other
``numbers``         numbers that are nearly the same, or rounded
``spellings``       one spelling for values that are written in several ways
``clauses``         what a query's tokens say about order and LIMIT
``constants``       which columns of an answer read no row
``question_columns``  whether the question names a column of the gold
"""
