"""The rules of the ETM paper, by topic; each function is a document that tests read.

``names``           case and quotes of names, aliases, the table that a column names
``outputs``         stars, the order of columns, names of outputs
``operands``        operands that commute, repeat or stand in parentheses
``conditions``      bounds, lists, negation, conditions that always hold
``values``          constants and functions of one value
``groups``          aggregates, GROUP BY and DISTINCT
``extremes``        the greatest and the least value, and the row that has it
``joins``           the order of joins, equal columns, idle joins, rows without a partner
``subqueries``      IN and WITH
``set_operations``  UNION, INTERSECT and EXCEPT as conditions
"""
