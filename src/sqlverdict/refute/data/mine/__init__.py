"""What the real data show beyond the schema: one file per family of regularities.

``kind``     what a regularity is
``sample``   the real rows, read once and never written to
``columns``  one column: never NULL, unique, small domains, signs, ranges, written forms
``forms``    how values are stored and written: numbers or texts, dates, upper case
``pairs``    two columns of a table: code and label, copies, orders
``across``   two tables: undeclared foreign keys, columns copied over a join
``store``    tables that were read and mined, kept for the next pair of queries
``confirm``  whether what a sample shows holds in the whole file
"""
