"""The calls of the Python API about single pairs; ``import sqlverdict`` shows all of them.

``scorer``       many pairs, kept warm: no files, any number of threads
``isolated``     a pair here where it can be stopped at any time, else in a process that is killed
``pair_checker`` examines pairs on open databases, for one thread at a time
``pair_memory``  pairs as a scorer was given them, and what is remembered of them
``batches``      batches in, batches out, for Ray Data, Dask and Spark
``whole_run``    whole runs, and trials: files, tables and records in, filters and tables out; what
                 the command line uses too: evaluate_systems, load_predictions, read_run
``golds``        systems under several sets of golds
``inputs``       the cases and options of whole runs, whatever they come as
``predictions``  the predictions of whole runs: a file, a table, records, a mapping or a list
``rows``         rows of tables and entries of lists, as records
``calls``        one pair: check, prove_pair, refute_pair, load_schema
``closing``      what closes its databases at the end of a ``with`` block
``spelling``     errors whose options are arguments of the Python call
``arguments``    what callers may give, and what it is taken for
``pair_result``  what a check gives: verdict, reasons, scores, answers, evidence
"""
