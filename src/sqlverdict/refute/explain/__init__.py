"""A witness in plain words: "they differ when ...".

``sentence``           the sentence and the small tables
``evidence``           what a search showed, as evidence
``what_if``            a witness whose rows and queries can be changed and tried again
``causes_in_rows``     causes in the rows: a border, a NULL, a tie, a missing partner
``causes_in_queries``  causes in the texts: a condition, a join, DISTINCT, LIMIT
``all_rows``           whether a cause must hold for every row, or one row is enough
``new_rows``           cells and rows that a witness lacks, to be tried
``telling_rows``       the rows on which only one of the answers depends
``wording``            names of tables and columns as words of a sentence
"""
