"""Both queries of a pair in one spelling, so that none of them tells who wrote it.

``pair``        spell_pair(): both queries alike, by their trees or else by their tokens
``tree``        one query: names, the order of conditions, parentheses, and the tree as text
``names``       the names of tables, columns, aliases and outputs
``tokens``      a spelled query, and the spelling of a text that cannot be read as a tree
"""
