"""When to answer and when to abstain: generators f, detectors g, compositions h, thresholds.

``method``          what a generator and a detector are, and their registry
``base``            what most methods share
``compose``         a composition as one line: ``clsprompt > sqlprompt > selfref``
``decision``        what a composition says to one question
``workflow``        a composition learns, answers, and is stored in a folder
``session``         a composition over many cases: predictions file and manifest
``predictions``     predictions files with the columns that detectors need
``apply``           detectors alone, over the answers of any system
``database_index``  from cases to questions and examples with their schemas
``calibrate``       marks validation answers, and finds thresholds for detectors from them
``generators/``     one file per generator
``detectors/``      one file per detector
``prompting/``      prompts, demonstrations and replies of methods that use an LLM
``learn/``          random forests, normal distributions, and what is learned on disk
``neural/``         sequence-to-sequence models (extra ``t5``)
``benchmark/``      builds benchmarks with unanswerable questions
"""
