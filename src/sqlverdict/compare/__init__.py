"""When two answers are the same, and how they relate when they are not.

``answers``    ``compare_answers``: the one call for users
``preset``     what a preset is
``presets/``   one file a preset: strict (the default), bird, spider, ...
``cells``      when two cells are the same
``columns``    finds the column order under which two answers agree
``order``      which rows may change places: order and ties, read from the gold's tree
``relations/`` one file a relation between two unequal answers
``tags/``      what differs between two queries, by name
``tag_labels`` FLEX's categories from tags
``query_parts``, ``query_columns``, ``query_conditions``, ``query_computed``, ``query_text``
               a query in parts that can be compared with another's, for tags
"""
