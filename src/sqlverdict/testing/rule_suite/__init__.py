"""Parts of ``check_rule``: the conformance suite for rewriting rules.

``pairs``       a rule's pairs, their facts and normal forms; the clock at one moment
``contexts``    a rule's queries with other types, contexts and extreme values
``placements``  a query placed into larger queries
``rows``        tables with other column types, and extreme rows
``on_engine``   a rule's queries on the engine of another dialect, before and after
``pages``       a rule as a documentation page
"""
