"""Conditions as tables of truths, in SQL's three truth values.

``subjects``   what a condition is about, and the cases that its comparisons tell apart; its atoms
``truth``      a condition as a table: its truth in every case
``one_form``   the one form of a condition that its table stands for
"""
