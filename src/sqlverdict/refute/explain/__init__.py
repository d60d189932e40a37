"""A witness in plain words: "they differ when ...".

``sentence``           the sentence and the small tables
``evidence``           what a search showed, as evidence, and the rows that tell
``what_if``            a witness whose rows and queries can be changed and tried again
``causes_in_rows``     causes in the rows: a border, a NULL, a tie, a missing partner
``causes_in_queries``  causes in the texts: a condition, a join, DISTINCT, LIMIT
``row_checks``         whether what a sentence says of rows holds for the rows of the witness
``new_rows``           cells and rows that a witness lacks, to be tried, one or for every row
``spellings``          how a sentence quotes parts of a query, in its engine's words
``wording``            names of tables and columns as words of a sentence
"""
