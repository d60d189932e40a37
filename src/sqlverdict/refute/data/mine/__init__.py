"""What the real data show beyond the schema: one file per family of regularities.

``kind``     what a regularity is
``sample``   the real rows, read once and never written to
``columns``  one column: never NULL, unique, small domains, signs, ranges, written forms
``pairs``    two columns of a table: code and label, copies, orders
``across``   two tables: undeclared foreign keys, columns copied over a join
``store``    tables that were read and mined, confirmed in the whole file, and kept
"""
