"""Ask language models: cached, bounded, retried, accounted for; for judges and abstention.

``request``       what is asked and what comes back; the protocol of whatever answers
``client``        asks a server: cache, budget, rate, retries, accounts
``cache``         replies by content, in one SQLite file; no question is paid for twice at once
``prompt``        prompts as Markdown files with a version; a user may replace them
``prompt_source``  authors' prompts out of their Python files, which are read and never run
``neutral``       makes text from outside harmless before a model reads it
``reply_schema``  whether a reply fits its JSON schema
``costs``         how many tokens a request has, what they cost, and the cost limit
``collect``       notes what would be asked, for dry runs and batches, and what it would cost
``rate``          how fast calls may start
``threads``       many calls at once on a bounded number of threads
``http/``         the network: endpoint, wire format, transport, faults
``batch/``        the Batch API: many requests as one file at a lower price
"""
