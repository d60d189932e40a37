"""Examine the data: ``doctor`` before scoring, ``gold`` after.

``doctor``    examine_data(): every check over a benchmark and a prediction file
``finding``   what a check says, and all that was found
``check``     what a check is; ``checks/`` has one file a check
``data``      what checks look at: cases, golds with their answers, schemas
``salvage``   a prediction file read past its errors, all of them collected
``gold``      suspect_golds(): which golds deserve a second look, from what systems answered
``suspicion`` what a sign against a gold is; ``suspicions/`` has one file a sign
``features``  what the model of wrong golds looks at, each number with its words
``gold_model`` how likely a gold is wrong, from ``gold_model.json``
``gold_fit``  fit that model to labels
``dossier``   all that is known about one gold: what systems said, what was found out
``ranking``   suspects by rank, in a file where there are very many
``gold_markdown`` suspect golds as an issue's text
"""
