"""PostgreSQL: what its engine is made of. Every file but ``sandbox`` needs psycopg.

``connection``  connects, and sets what must be the same for every session
``exchange``    statements in one round trip, with a deadline and a cancel on the server
``cursor``      untrusted queries in one transaction, under all limits
``session``     one snapshot of a database
``sandbox``     what a text may not contain, and what the server's errors mean
``catalogue``   what the database itself says about functions and views
``values``      the server's values as cells, and as psycopg2 gives them
``digest``      a digest of the content that a snapshot shows
``schema``      tables, columns, keys and constraints
``scratch``     temporary tables for instances of a few rows
``workspace``   a transaction that may write, and is rolled back
``sequences``   numbers that come back with the transaction
``own_database``  a database of our own on the server
``rights``      what the role could do more than read
"""
