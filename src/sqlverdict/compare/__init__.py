"""When two answers are the same, and how they relate when they are not.

``answers``         ``compare_answers``: the one call for users
``preset``          what a preset is, and reason codes of answers that differ
``presets/``        one file per preset: strict (the default), bird, spider ...
``spider_rules``    what the Spider-like presets share
``spider2_rules``   what the two presets of Spider 2.0 share
``defog_rules``     what the two presets of defog's sql-eval share
``frames``          answers as data frames, with the quirks of pandas that scorers have
``ehrsql_rules``    what the presets of EHRSQL and TrustSQL share
``cells``           when two cells are the same
``columns``         finds the column order under which two answers agree, or one holds the other
``order``           which rows may change places: order and ties, from the gold's tree
``difference``      which rows two answers do not share
``log_answers``     what the run log keeps of two answers
``relation``        what a relation between two unequal answers is
``relations/``      one file per relation
``related/``        finds relations and checks their proofs
``query/``          a query in parts that can be compared with another's
``tags/``           what differs between two queries, by name
``tag_labels``      FLEX's categories from tags
``exact_set/``      Spider's exact set match
"""
