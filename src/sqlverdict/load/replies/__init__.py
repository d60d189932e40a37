"""A language model's reply: the SQL in it, and what becomes of a reply without SQL.

``fenced``       the SQL in a reply: fences, prose, the order in which forms are tried
``wrapped``      what models and chat templates write around it: thoughts, tags, JSON, marks
``several``      replies with several complete answers, and the note on them
``no_sql``       what a reply without SQL counts as, and which of them refuse in words
``shared_ends``  text that many predictions begin or end with and that is no SQL
"""
