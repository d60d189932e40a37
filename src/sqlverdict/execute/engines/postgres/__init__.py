"""All of the engine for PostgreSQL.

``postgres``  the engine: the record of what it can do, and what it promises
``connection``  connects, and sets what must be the same for every session
``exchange``    statements in one round trip, with a deadline and a cancel on the server
``backend``     the memory of the server's process, where it runs on this machine
``cursor``      untrusted queries in one transaction, under all limits
``session``     one snapshot of a database
``sandbox``     the text that is sent for a query, and what the server's errors mean
``guard/``      what a text says, and what it may say
``catalogue``   what the database itself says about functions and views
``own_objects``  operators, casts, checks and functions that lead to a blocked function
``values``      the server's values as cells, and as psycopg2 gives them
``digest``      a digest of the content that a snapshot shows
``schema``      tables, columns, keys and constraints
``scratch``     temporary tables for instances of a few rows
``workspace``   a transaction that may write, and is rolled back
``sequences``   numbers that come back with the transaction
``own_database``  a database of our own on the server
``rights``      what the role could do more than read
``reader``      as whom untrusted queries log in
``reader_roles``  a role that may only read: made, and dropped
"""

from sqlverdict.execute.engines.postgres.postgres import Postgres as Postgres
