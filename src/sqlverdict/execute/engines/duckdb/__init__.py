"""All of the engine for DuckDB.

``duckdb``   the engine: the record of what it can do, and what it promises
``connect``  how files are opened for reading, and databases in memory made
``names``    functions and tables of a version, which are allowed, which stop; its threads
``tree``     what a query may do, decided on DuckDB's own tree
``guard``    what a text may be, what errors mean, and a clock that stands still
``session``  one open database under every guard, in this process
``values/``  columns asked for as text, as the driver would lose a part: nanoseconds, infinity
``bounded``  sessions and scratch databases that keep their limits whatever a query calls
``scratch``  a database in memory for instances
``workspace``  a copy that may be written
``common_text``  a query in common SQL, for the prover; each of these files serves it:
``syntax``   DuckDB's own tree of a text, and the parts of such trees
``sources``  which columns the items of FROM have
``standard_tree``  DuckDB's own forms of a query as standard ones
``standard_stars``  its stars as lists of columns
``standard_queries``  QUALIFY, PIVOT and UNION BY NAME as queries
``standard_calls``  one spelling for calls that have several
``common/``  one of several words for the same: the clock, intervals, mirrored comparisons
``expressions``  the kind of an expression's values, and its columns
``tree_text``  a tree as text
``schema``   tables, columns, keys and constraints from the catalogue
"""

from sqlverdict.execute.engines.duckdb.duckdb import Duckdb as Duckdb
