"""What the real data show beyond the schema, and how ordinary a witness is beside it.

``mine/``         reads a database and finds its regularities
``regularities``  the regularities of one database
``grade``         how ordinary a witness is, beside real data or declared types
``ordinary_part`` the rows of an instance that are ordinary by themselves
``real_rows``     the real rows in memory, by what they hold
``mutate``        instances made of real rows, with cells changed around the constants
"""
