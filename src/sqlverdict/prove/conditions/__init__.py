"""Conditions as tables of truths, in SQL's three truth values.

``apart``      a quick test for conditions of which no two are about the same columns
``subjects``   what a condition is about, and the cases that its comparisons tell apart
``atoms``      comparisons: LIKE, tests for NULL, and which side is the constant
``truth``      a condition as a table: its truth in every case
``one_form``   the one form of a condition that its table stands for
"""
