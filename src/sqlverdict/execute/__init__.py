"""Run untrusted queries under limits, and store their answers.

``engine``          what an engine is, the record of what it can do, which engine opens a reference
``session``         what an open database and its limits are
``engines/``        the engines, one folder each: all that belongs to one alone
``in_memory``       what the engine is asked that tries instances in memory
``query_runner``    where answers come from: memory, cache, engine
``attempt``         what is tried at all, and what all engines say of what has no answer
``values/``         what a driver's value means, cells as bytes, rows while they arrive
``fault_probe``     whose fault a failure is: the query's, unless a probe shows otherwise
``common_text``     a query in common SQL, by the parser of its own engine
``cache``           answers at hand, in memory and in one file; why none is stale
``schema_memory``   the schemas of databases, each read once for one content
``insertion_order``  parents before their children, tables before views
``apart/``          processes of our own for what no handler can stop
``servers/``        what the engines of servers share
``scripts``         golds and predictions that may write, on a throw-away copy
``fold_sql``        one text for queries that differ in letter case and spacing, and its key
``clock``           whether a query reads the clock or uses chance; a clock that stands still
``frozen_text``     a clock that stands still, written into the query
``lexemes``         the tokens of PostgreSQL, DuckDB and MySQL
``reversed_copy``   a database copy with rows in reverse order
``fact_check``      whether a SQLite file keeps what its schema declares
``fact_queries``    the same for any engine, asked by queries
``deadline``        ends queries that only another thread can stop
"""
