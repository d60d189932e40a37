"""Lexemes of MySQL as the prover reads them: one of several words for the same.

``plain_words``  the clock, intervals, parts of dates
``mirrored``     ``5 < x`` as ``x > 5``
"""
