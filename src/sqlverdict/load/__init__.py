"""From files to records: benchmarks, databases, predictions and labels.

``benchmark``           what a benchmark and a reader are, and what is said of missing databases
``benchmarks/``         one file per published benchmark
``own_files/``          one file per format of users' own cases: JSONL, CSV, Excel ...
``tables/``             tables with a header: CSV, Excel, Parquet
``fields``              from a record of named fields to a case or a prediction
``columns/``            which column of a user's file is which field
``databases``           where the database of a ``db_id`` lies
``descriptions``        what files beside a database say about its columns in words
``predictions``         a prediction file paired with the cases
``prediction_entries``  a file of predictions as entries, and what named fields are read as
``prediction_formats``  the formats of prediction files, one function each
``trials``              several answers to one question in one prediction file
``submission_folders``  predictions that are a folder of queries or results
``conversations``       what the readers of SParC and CoSQL share, and Spider's too
``turns``               turns of conversations: users' own cases, lines of predictions
``items``               what readers of lists of JSON objects share
``replies/``            a language model's reply: the SQL in it, and a reply without SQL
``usage``               what a system spent on a prediction
``recorded``            what was recorded about a case elsewhere
``system_records``      benchmarks whose files also record what systems answered
``ehrsql``              what the readers of EHRSQL's questions share
``people/``             what people said about predictions: labels, and the vote log
``revisions``           which published revision of a benchmark the cases are
``overlays``            named sets of corrected golds, and a benchmark with them
``translate``           databases and queries of SQLite in the words of another engine

Nothing here runs a query. A missing database is not an error while loading: the case names
the path where it was expected, and its outcome is typed when it is run.
"""
