"""What a run leaves on disk.

``log``          ``results.jsonl``: one line per case, written as cases finish
``manifest``     ``manifest.json``: what was run, on what, with which versions and limits
``folder``       a run's folder while the run is on: locked, resumed, filled, finished
``reuse``        a run that starts with the results of one with other golds
``merge``        the shards of a run, put together
``case_filter``  which cases of a run: one filter for commands, the API and pages
``missing_metric``  the message where runs do not have a metric
``run``          a finished run, as the API returns it and as reports read it; names of several
"""
