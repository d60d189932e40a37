"""A language model's reply: the SQL in it, and what becomes of a reply without SQL.

``fenced``   the SQL in a reply: fences, prose, the order in which forms are tried
``wrapped``  what models and chat templates write around it: thoughts, tags, JSON, marks
``no_sql``   what a reply without SQL counts as, and which of them refuse in words
``notes``    notes on replies: several complete answers, and text that many share and is no SQL
"""
