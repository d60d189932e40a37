"""Groups of options, and what is made of them.

``fields``          options, settings and arguments as fields of dataclasses
``shared``          single options that several commands have; types; JSON output
``data``            where the cases are
``predictions``     whose predictions are scored
``recorded_systems``  systems whose answers are in the file of the cases
``limits``          what a query may spend, and the cache of answers
``label``           label: the queue, the server, files of votes
``labels``          people's labels
``llm``             a language model, the one way to open it, and batches of requests
``judge``           the judge that a run asks
``run``             evaluate
``pair``            two queries and a schema; what a query consists of
``build``           build
``abstain``         abstain
"""
