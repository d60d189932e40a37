"""Examine the data: ``doctor`` before scoring.

``doctor``    examine_data(): every check over a benchmark and a prediction file
``finding``   what a check says, and all that was found
``check``     what a check is; ``checks/`` has one file a check
``data``      what checks look at: cases, golds with their answers, schemas
``salvage``   a prediction file read past its errors, all of them collected
``backwards`` a copy of a database with its rows stored in reverse order
``loose``     what a query leaves open: ties, LIMIT without ORDER BY, bare columns
"""
