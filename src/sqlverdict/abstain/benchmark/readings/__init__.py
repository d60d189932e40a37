"""Ambiguous questions: two readings, each a query, with different answers on the database.

``rows``           what a table's rows are called and measured by, in words and in SQL; a question
                   with its two readings
``shared_words``   a word that two columns of a table have: the *date* of a dog
``shared_values``  a value that two columns hold: flights for APG, the population of Singapore
``vague_ranks``    the best, the biggest, the top three: by which measure?
"""
