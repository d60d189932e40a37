"""One file a relation between two unequal answers; each is a document that tests read.

``column_permutation``  the same rows with the columns in another order
``concatenated``        several columns on one side are one text on the other
``duplicates_only``     the same set of rows, some of them more or less often
``extra_columns``       the prediction has all of gold's columns, and more
``formats``             the same values in another type or spelling
``missing_columns``     the prediction has only some of gold's columns
``null_rows``           the same rows, but for rows that hold nothing but NULL
``order_only``          the same rows in another order, where gold orders them
``rounding``            the same numbers, but some are rounded on one side
``row_subset``          the prediction lacks some of gold's rows and has no others
``row_superset``        the prediction has all of gold's rows, and more
``scale``               the same numbers in another unit
``sum_of_list``         one number on one side, the list it is computed from on the other
``tie_superset``        a LIMIT cuts through a tie; the other side has all the tied rows
``transposed``          one row of n columns on one side, n rows of one column on the other
``yes_no``              the same truth values, written otherwise
"""
