"""The parts of the engine ``duckdb``. Only this engine imports them: they need its extra.

``connect``  how files are opened for reading, and databases in memory made
``guard``    what a query may do, what errors mean, and a clock that stands still
``session``  one open database under every guard
``scratch``  a database in memory for instances
``workspace``  a copy that may be written
``schema``   tables, columns, keys and constraints from the catalogue
"""
