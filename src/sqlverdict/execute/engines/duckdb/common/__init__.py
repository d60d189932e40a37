"""Expressions of DuckDB as the prover reads them: one of several words for the same.

``mirrored``        ``5 < x`` as ``x > 5``
``standard_times``  one spelling for the clock, and for intervals
"""
