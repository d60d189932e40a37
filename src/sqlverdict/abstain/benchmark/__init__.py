"""Build benchmarks with unanswerable questions.

``build``              ``build()``: from answerable cases to train, validation and test
``splits``             which case goes into which part
``templates``          queries with their values masked
``meaning``            templates that mean the same, by proof
``unanswerable``       how many unanswerable questions of which type a database gets
``unanswerable_type``  what a type of unanswerable question is, and their registry
``question_sources``   what unanswerable questions are made from
``words``              names as words
``wordnet``            English nouns as WordNet has them
``wording``            unanswerable questions in natural words, by a language model
``pool``               a pool of questions for out-of-domain ones
``chance``             draws that depend on the seed and the thing, not on the order
``lint``               what a lint is, and their registry
``probe``              can a classifier without the schema tell the answerable questions?
``report``             a built benchmark and its lints as tables and as a page
``write``              a built benchmark as files
``columns/``           questions about columns that do not exist
``lints/``             one file per lint
``types/``             one file per type of unanswerable question
"""
