"""How a run works on its cases: inputs, evidence, outcome. No stage calls back.

A run:

``options``         the public options of a run
``plan``            the options, completed by what the metrics need: one record for all stages
``task``            cases and predictions as units of work, cut into chunks of one database
``garbage``         how often Python looks for garbage meanwhile
``pool/``           worker processes, and the work in this process
``output``          manifests, folders and log lines, and what stops a run

A case:

``examine``         from a task to its line: inputs, evidence, outcome
``memory``          what is remembered, and why nothing of it is stale

Its inputs:

``inputs``          what the stages read: texts, parsed queries, answers, schema, each once
``answer_sources``  where answers come from: live, recorded, result file, script, two engines

Its evidence, by functions of the inputs:

``stages``          the stages in their order
``compare_stage``   whether the answers match, and how they relate
``prove_stage``     proof
``refute_stage``    the search for a witness
``refuter``         which budget, bank and engine a search has
``signs_stage``     signs of the gold and of the prediction
``contradictions``  pairs that are both proved and refuted
``attempt``         errors of ours, kept apart

Its outcome:

``scoring``         metrics, one at a time
``judging/``        what a judge is asked, and where cases wait for a reply
``outcome``         judgement, scores, and the line in the run log
"""
