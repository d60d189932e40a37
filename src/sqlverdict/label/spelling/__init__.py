"""Both queries of a pair in one spelling, so that none of them tells who wrote it.

``pair``        spell_pair(): both queries alike, by their trees or else by their tokens
``spelled``     what becomes of a query
``tree``        one query: names, conditions, parentheses and text
``names``       the names of tables, columns, aliases and outputs
``conditions``  the order of conditions and their sides, and words that say nothing
``text``        a tree as text
``tokens``      the spelling of a text that cannot be read as a tree
"""
