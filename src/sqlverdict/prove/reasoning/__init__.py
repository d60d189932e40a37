"""What rules ask about a resolved tree, and changes that several of them make.

``facts``           Facts: what holds at a place of a tree; every answer cites what it leans on
``shape``           conjuncts, sources, and what contains what
``dependencies``    which columns determine which
``filters``         conditions of which only the truth counts
``stored``          columns whose values are stored ones, and whether these have one order
``strict``          expressions that are NULL where a part of them is
``bare``            columns beside an aggregate that are neither grouped by nor inside it
``common_type``     whether a value keeps its type without others, and whether several convert alike
``copies``          copies of parts of a query, with a bound
``counting``        ways to count rows that meet a condition, and their plain form
``fractions``       products and quotients of reals, and their one form
``zero_guards``     what guards a division against zero
``inner_order``     where the order of an inner query's rows can be seen from outside
``open_choices``    the choices that a query leaves to the engine
``same_rows``       an inner query over the same tables as the query around it
``set_sides``       the sides of INTERSECT and EXCEPT as a test for a row, of UNION as one query
``disjoint``        conditions that no row meets together, and counts that add up therefore
``partner_groups``  the keys that keep rows with their partners apart, and rows without partners
``moves``           put an expression for a column, take a source away, read it once more
"""
