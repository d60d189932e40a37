"""Constructs that ``spellings.py`` writes in other words, each a change of its own.

``distinct_on``    DISTINCT ON as DISTINCT or GROUP BY, or as a first row
``day_tests``      the day of a moment, or its month or year, beside a day: bounds
"""
