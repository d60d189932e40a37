"""Expressions of DuckDB as the prover reads them: one of several words for the same, and types.

``mirrored``        ``5 < x`` as ``x > 5``
``plain_arithmetic``  one form for products, and for shares of groups
``binding``         whether a query always fails because of its types
``risks``           when an expression fails
``standard_times``  one spelling for the clock, and for intervals
"""
