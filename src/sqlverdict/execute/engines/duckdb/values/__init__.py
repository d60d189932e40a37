"""Values of which the driver would give less than the database has.

``exact_columns``   the columns of an answer whose values are asked for as text, and their cells
"""
