"""What one engine refuses and another takes.

``sort_terms``       what a query may sort and group its rows by
``own_types``        what values of a dialect's own types can do, and which texts spell them
``operation_types``  the types of arithmetic, functions and aggregates
``joint_operands``   IN and BETWEEN over numbers of several types
``aggregate_places`` where an aggregate, and a query with several columns, may not stand
``full_joins``       which FULL JOINs run
``outer_texts``      what a subquery may do with a text from around it
``text_collations``  texts of several collations, and those that may take no patterns
``quotients``        quotients whose value depends on where they are computed
"""
