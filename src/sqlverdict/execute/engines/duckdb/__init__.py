"""All of the engine for DuckDB.

``duckdb``   the engine: the record of what it can do, and what it promises
``connect``  how files are opened for reading, and databases in memory made
``names``    functions and tables of the system, which of them are allowed, which stop
``tree``     what a query may do, decided on DuckDB's own tree
``guard``    what a text may be, what errors mean, and a clock that stands still
``session``  one open database under every guard, in this process
``bounded``  sessions and scratch databases that keep their limits whatever a query calls
``scratch``  a database in memory for instances
``workspace``  a copy that may be written
``schema``   tables, columns, keys and constraints from the catalogue
"""

from sqlverdict.execute.engines.duckdb.duckdb import Duckdb as Duckdb
