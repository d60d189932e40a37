"""Search for a small legal database on which two queries differ.

``witness``        what a refutation is made of
``search``         ``find_witness``: the one call
``strategy``       what a search strategy is, and the registry
``strategies/``    one file per way to make instances
``sources``        where instances come from: the bank, real rows, the strategies
``frozen_pair``    two queries that read the clock, with the clock at one moment
``meter``          what a search has spent: instances and work, never seconds
``reduce``         a difference becomes a witness: small, simple, graded
``shrink``         fewest rows, simplest values
``related``        how two queries relate on generated databases, without the data
``witness_text``   what a witness file says in its comments
``witness_files``  witnesses as ``.sql`` and ``.sqlite``, and their replay
``read/``          what the queries look at: columns, constants, joins, counts
``make/``          rows that obey the facts
``trial/``         both queries on an instance: legality, determined answers, ties
``data/``          what the real data show beyond the schema; grades; instances of real rows
``explain/``       "they differ when ...", each cause tried out before it is named
``target/``        witnesses on engines other than SQLite
``bank/``          databases that separated earlier pairs, and the fewest that still do
"""
