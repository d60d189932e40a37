"""Examines the data: ``doctor`` before scoring, ``gold`` after.

``doctor``               ``examine_data``: every check over a benchmark and a prediction file
``check``                what a check is and says, and all findings
``checks/``              one file per check
``data``                 what checks look at: cases, golds with their answers, schemas, SQLite files
``recover_predictions``  a prediction file read past its errors
``gold``                 ``suspect_golds``: which golds deserve a second look
``suspicion``            what a suspicion against a gold is
``suspicions/``          one file per suspicion
``question_words``       what a question asks for: one number, how many of what, one for each
``gold_report``          all that is known about one gold
``gold_model``           how likely a gold is wrong, by its features and ``gold_model.json``
``gold_markdown``        suspect golds as an issue's text
``repair``               what a candidate for a better gold is
``repairs/``             one file per way to find candidates
``edits``                small parts that ways share
``propose``              ``Proposer``: up to three candidates for a gold, ordered and checked
``proposal``             a candidate with all that a reviewer needs to decide on it
"""
