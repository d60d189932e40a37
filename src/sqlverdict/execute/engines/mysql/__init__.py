"""All of the engine for MySQL and MariaDB.

``mysql``       the engine: the record of what it can do, and what it promises
``connection``  connects, and sets what must be the same for every session
``sandbox``     what a text may not contain, and what the server's errors mean
``spelling``    the one spelling in which a text is sent
``functions``   what a query may call
``common_text`` a query in common SQL, with calls of unknown functions for the rest of it
``common/``     what such a call may stand for, and one of several words for the same
``cursor``      untrusted queries on one connection, with limits and a cancel; values as cells
``float_columns``  every digit of FLOAT columns, of which the server writes six
``unmerged``    a fault of MariaDB that ends the server, and how its queries are run all the same
``session``     one snapshot of a database, and the digest of its content
``schema``      tables, columns, keys and constraints
``scratch``     instances of a few rows, which are written into queries
``columns``     the types of columns as JSON_TABLE has them, and cells as it reads them
``scratch_tables``  tables for instances, for types that no query can write
``own_database``  a database of our own on the server
``workspace``   a copy of a database that may be written
``reader``      as whom untrusted queries log in
``routines``    the functions of a database, and which of them set variables
``rights``      what a user could do more than read
"""

from sqlverdict.execute.engines.mysql.mysql import Mysql as Mysql
