"""From a parsed tree to a resolved one: every name plain, and the engine's reading confirmed.

``query``          resolve_query(): a parsed query of any dialect as rules see it first
``tree``           resolve(): the form that rules work on
``common_sql``     what is read in dialects other than SQLite's: constructs that all read alike
``standard_names`` which column a name means there, and in NATURAL and USING
``scope``          which source an alias and a column name mean at a place of a query
``parser_losses``  parts of a query that are read, ordinals, names of columns and functions
``refusals``       what no rule can reason about, such as values of kinds that do not mix
``text``           a resolved tree as SQL text that runs
``readable``       such a text for people, with plain names; pages read it without the parser
``fidelity``       whether our reading of a query is SQLite's: both are compiled and compared
"""
