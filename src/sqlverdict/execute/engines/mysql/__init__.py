"""All of the engine for MySQL and MariaDB.

``mysql``       the engine: the record of what it can do, and what it promises
``connection``  connects, and sets what must be the same for every session
``sandbox``     what a text may not contain, and what the server's errors mean
``spelling``    the one spelling in which a text is sent
``functions``   what a query may call
``cursor``      untrusted queries on one connection, with limits and a cancel; values as cells
``session``     one snapshot of a database
``digest``      a digest of the content that a snapshot shows
``schema``      tables, columns, keys and constraints
``scratch``     tables for instances of a few rows
``own_database``  a database of our own on the server
``workspace``   a copy of a database that may be written
``reader``      as whom untrusted queries log in
``routines``    the functions of a database, and which of them set variables
``rights``      what a user could do more than read
"""

from sqlverdict.execute.engines.mysql.mysql import Mysql as Mysql
