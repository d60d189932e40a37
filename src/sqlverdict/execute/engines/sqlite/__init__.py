"""All of the engine for SQLite.

``sqlite``        the engine: the record of what it can do, and what it promises
``sandbox``       what a query may touch, and what errors mean
``session``       one open file under every guard
``workspace``     a copy of a file that may be written
``scratch``       a warm database in memory, on which instances are tried
``instance``      an instance as a database in memory: from its rows, or from a file's statements
``declarations``  the CREATE and INSERT statements of both
"""

from sqlverdict.execute.engines.sqlite.sqlite import Sqlite as Sqlite
