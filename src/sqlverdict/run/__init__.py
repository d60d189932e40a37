"""How a run works on its cases.

``options``         the public options of a run
``plan``            the options, completed by what the metrics need: one record for all stages
``inputs``          cases in memory as a benchmark, and the digest of schemas
``task``            cases and predictions as units of work, cut into chunks of one database
``record_use``      what use a run makes of the record of a case
``recorded``        cases whose answers were recorded elsewhere
``result_item``     cases whose gold or prediction is a result instead of a query
``answers_only``    cases of which answers are compared, and nothing more
``two_engines``     cases whose gold is written for another engine
``scripted_item``   cases whose golds and predictions may write
``item``            one case with its prediction, as metrics and stages see it
``examine``         what happens to one case
``ladder``          all evidence about a case, stage by stage
``prove_stage``     proof as a stage
``refute_stage``    the search for a witness as a stage
``signs_stage``     signs of the gold and of the prediction as a stage
``contradictions``  pairs that are both proved and refuted
``isolate``         errors of ours, one stage or metric at a time
``judging/``        what a judge is asked, and where cases wait for a reply
``pool/``           worker processes, and the work in this process
``output``          manifests, folders and log lines, and what stops a run
"""
