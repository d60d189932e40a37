"""Build benchmarks with unanswerable questions.

``build``              ``build_benchmark()``: from answerable cases to train, validation and test
``splits``             which case goes into which part
``templates``          queries with their values masked
``meaning``            templates that mean the same, by proof
``unanswerable``       types of unanswerable questions, their registry, and how many a database gets
``question_sources``   what unanswerable questions are made from
``question_pool``      questions from elsewhere, talk, and what only a conversation explains
``words``              names as words
``wordnet``            English nouns as WordNet has them
``wording``            unanswerable questions in natural words, by a language model
``chance``             draws that depend on the seed and the thing, not on the order
``lint``               what a lint is, and their registry
``probe``              can a classifier without the schema tell the answerable questions?
``write``              a built benchmark as files
``columns/``           questions about columns that do not exist
``readings/``          ambiguous questions and their two readings
``lints/``             one file per lint
``preprocess/``       what is done to questions before they are split: duplicates, time, paraphrases
``types/``             one file per type of unanswerable question
"""
