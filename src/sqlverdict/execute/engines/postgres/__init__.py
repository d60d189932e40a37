"""All of the engine for PostgreSQL.

``postgres``    the engine: the record of what it can do, and what it promises
``connection``  connects, and sets what must be the same for every session
``exchange``    statements in one round trip, with a deadline, a cancel and a look at the memory
``cursor``      untrusted queries in one transaction, under all limits
``session``     one snapshot of a database, and the digest of its content
``sandbox``     the text that is sent for a query, and what the server's errors mean
``guard/``      what a text says, and what it may say
``common/``     a query in common SQL, by PostgreSQL's own parser
``types/``      whether a query always fails because of its types
``catalogue``   what the database says about functions, and what leads to a blocked one
``values``      the server's values as cells, and as psycopg2 gives them
``schema``      tables, columns, keys and constraints
``scratch``     instances of a few rows, which are written into queries
``grouping``    GROUP BY over a primary key, for tables that are written into a query
``unique_indexes``  unique indexes over expressions, as queries for rows that break them
``workspace``   a transaction that may write, and is rolled back; what may be written
``own_database``  a database of our own on the server
``rights``      what the role could do more than read
``reader``      as whom untrusted queries log in
``reader_roles``  a role that may only read: made, and dropped
"""

from sqlverdict.execute.engines.postgres.postgres import Postgres as Postgres
