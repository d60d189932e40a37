"""Whether a query always fails on PostgreSQL because of the types of its expressions.

``statement``    the types of a query's columns, clause by clause
``scope``       the type of a column name at a place
``expressions``  the type of an expression
``operators``    the type of an operation
``candidates``   which operator or function takes values of some types, as PostgreSQL chooses it
``coercions``    which values become which, with and without a cast
``signatures``   types, casts, operators and functions, from PostgreSQL's catalogue
``constants``     numbers that a query writes, and whether a type has room for them
``literals``     which texts in quotes are surely values of a type
"""
