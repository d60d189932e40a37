"""Questions about columns that do not exist.

``ideas``         the questions: answerable ones with another column, then forms
``hypothetical``  a column that does not exist, and what tables elsewhere have
``mentions``      where a question names a column, so that another can take its place
``entities``      what the rows of a table are: persons, animals, buildings ...
``lexicon``       columns that things of a kind have, where other schemas offer none
"""
