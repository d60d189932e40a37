"""Run untrusted queries: one file an engine, a sandbox, limits, and a cache of answers.

``engine``   what an engine, a session and limits are
``sqlite``   the SQLite engine
``sqlite_session``  one open SQLite file under every guard
``clock``    whether a query's date functions read the clock
``sandbox``  what a query may touch in SQLite, and how its errors are named
``desk``     where answers are asked for: memory, cache, engine
``cache``    answers by content, in one SQLite file that several processes share
"""
