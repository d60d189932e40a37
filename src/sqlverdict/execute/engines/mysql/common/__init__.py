"""Lexemes of MySQL as the prover reads them.

``pure_functions``  what a call of an unknown function may stand for
``plain_words``  one of several words for the same: the clock, intervals, parts of dates
``plain_arithmetic``  one form for products and quotients
``argument_counts``  how many arguments functions take
``plain_text``   a query without the one around it that passes all its rows on
``mirrored``     ``5 < x`` as ``x > 5``
"""
