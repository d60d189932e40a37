"""A query of PostgreSQL in common SQL, for the prover.

``common_text``  what PostgreSQL alone can read as calls of unknown functions
``spellings``    other words for the same, in a tree of PostgreSQL's parser
``date_parts``   DATE_PART as EXTRACT, in such a tree
``mirrored``     ``5 < x`` as ``x > 5``
``plain_arithmetic``  one form for products and quotients
``zero_guards``  quotients that CASE or NULLIF guards against a zero below
``meaning``      what a part of such a tree says, as bytes
``expression_text``     an expression of a tree as text
``wrappers``     queries around a query that only pass its rows on
``idle_distinct``  DISTINCT that drops no row
``expressions``  what is known of an expression without its tables: kind, risk
``result_names``  the names of columns of a result
"""
