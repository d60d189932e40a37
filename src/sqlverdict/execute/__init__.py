"""Run untrusted queries: one file an engine, a sandbox, limits, and a cache of answers.

``engine``   what an engine, a session and limits are
``sqlite``   the SQLite engine
``sqlite_session``  one open SQLite file under every guard
``clock``    whether a query's date functions read the clock
``sandbox``  what a query may touch in SQLite, and how its errors are named
``desk``     where answers are asked for: memory, cache, engine
``backwards``  a copy with rows in reverse order, to see what an answer depends on
``fact_check``  whether a database keeps what its schema declares
``cache``    answers by content, in one SQLite file that several processes share
"""
