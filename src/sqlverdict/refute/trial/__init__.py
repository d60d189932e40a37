"""Both queries on an instance.

``pair_trial``  whether the queries differ on an instance, and how
``determined``  whether an answer is the query's own, whatever the order of rows
``tie_breaks``  the same query with its ties broken one way and the other
``ties``        whether the rows that a query ranks tie
``legal``       whether an instance obeys the facts, checked apart from the generator
``null_probe``  NULLs in the numbers that a query returns
``rebuild``     an instance as a database in memory, and two queries on it
``literals``    values as people read them
"""
