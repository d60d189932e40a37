"""From files to records: benchmarks, databases, predictions.

One file a benchmark format (``spider``, ``bird``, ``goldfile``, ``jsonl``, ``csv``,
``demo``), each a member of :data:`sqlverdict.load.benchmark.BENCHMARKS`. The rest:

* ``benchmark.py``: what a benchmark and a reader are.
* ``databases.py``: where the database of a ``db_id`` lies.
* ``descriptions.py``: what files beside a database say about its columns in words.
* ``predictions.py``: a prediction file paired with the cases; ``prediction_formats.py`` has
  one function a format.
* ``fenced.py``: the SQL in a language model's reply.
* ``fields.py``: from a record of named fields to a case or a prediction.
* ``columns.py``: the user's column map.
* ``flex_released.py``: FLEX's own result files under the names of its agreement format.
* ``recorded.py``: what was recorded about a case elsewhere.
* ``text.py``: reading files, with precise errors.
* ``demo_data/``: the embedded benchmark.

Nothing here runs a query. A missing database is not an error while loading: the case names
the path where it was expected, and its outcome is typed when it is run.
"""
