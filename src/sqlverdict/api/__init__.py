"""The calls of the Python API about single pairs; ``import sqlverdict`` shows all of them.

``scorer``       many pairs, kept warm: no files, any number of threads
``bounded_checker``  a pair here where it can be stopped at any time, else in its own process
``brief``        which queries SQLite can stop at any time, by their words
``isolated``     pairs in a process that is killed where a query overruns its limit
``pair_checker`` examines pairs on open databases, for one thread at a time
``batches``      batches in, batches out, for Ray Data, Dask and Spark
``whole_run``    whole runs: files, tables and records in, filters and tables out
``trials``       several answers to each question, scored as trials
``inputs``       cases and predictions of whole runs, whatever they come as
``calls``        one pair: check, prove_pair, refute_pair, load_schema
``closing``      what closes its databases at the end of a ``with`` block
``arguments``    what callers may give, and what it is taken for
``pair_result``  what a check gives: verdict, reasons, scores, answers, evidence
``card``         a result as HTML, for notebooks
"""
