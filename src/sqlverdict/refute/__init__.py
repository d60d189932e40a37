"""Search for a small legal database on which two queries differ.

``witness``    what a refutation is made of
``search``     ``find_witness``: the one call
``meter``      what a search has spent: instances and work, never seconds
``part``       the tables that two queries touch; no other is made
``difference`` a difference on some rows, before it is a witness
``refusal``    why no search can be made
``scratch``      a warm in-memory engine on which instances are tried
``declarations``  the tables of such an engine
``resolve``    which base column a reference means
``views``      views and generated columns, written out before a query is read
``constants``  what the queries compare their columns with
``derived``    values that they ask for without naming them: sums, shifted dates, lengths
``documents``  JSON texts for the paths that they look at
``checked``    values that CHECK constraints accept
``pools``      the values worth trying for each column
``generate``   instances that obey the facts
``determined`` whether a query's answer is its own, whatever the row order
``shrink``     fewest rows, simplest values
``legal``      whether an instance obeys the facts, checked apart from the generator
``regularities``, ``mine/``  what the real data show beyond the schema
``grade``, ``ties``  how ordinary a witness is beside it
``mutate``, ``real``  instances made of real rows
``bank``, ``suite``  instances that separated earlier pairs, and the fewest that still do
``export``, ``rebuild``, ``literals``  witnesses as ``.sql`` and ``.sqlite``, and their replay
``explain``, ``scene``, ``causes_in_rows``, ``causes_in_queries``, ``wording``
               "they differ when ...", each cause tried out before it is named
"""
