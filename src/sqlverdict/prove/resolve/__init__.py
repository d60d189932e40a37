"""From a parsed tree to a resolved one: every name plain, and the engine's reading confirmed.

``query``          resolve_query(): a parsed query of any dialect as rules see it first
``tree``           resolve(): the form that rules work on
``common_sql``     what is read in dialects other than SQLite's: constructs that all read alike
``spellings``      other words for the same there: ILIKE, = ANY, IS NOT
``other_words/``   those that take more to write: DISTINCT ON, tests of days
``standard_names`` which column a name means there, and in NATURAL and USING
``scope``          which source an alias and a column name mean at a place of a query
``parser_losses``  parts of a query that are read, ordinals, names of columns and functions
``refusals``       what no rule can reason about, such as aggregates that show the order of rows
``value_types``    which kinds of values meet, in dialects whose types are enforced
``engine_limits/`` what one engine refuses and another takes: types, terms of ORDER BY
``quoted_values``  for which values a text in quotes stands there, and its one spelling
``one_value``      where a query or a group must have one value there
``folding``        where values that are equal and may differ become one there
``equal_values``   values that are equal and yet differ, without types: collations, 1 and 1.0
``unknown_calls``  calls of unknown functions: what a proof must leave as it is
``own_words``      whether the engine reads a text that our parser reads
``text``           a resolved tree as SQL text that runs
``readable``       such a text for people, with plain names; pages read it without the parser
``fidelity``       whether our reading of a query is SQLite's: both are compiled and compared
"""
