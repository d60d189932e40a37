"""Where cases are worked on.

``inputs``          what comes into a run, and what stands for it
``item``            one case with its prediction, as metrics and stages see it
``recorded``        the same, where answers were recorded elsewhere
``task``            a unit of work, and how tasks are cut into chunks of one database
``stages``          which stages a run has
``isolate``         errors of ours, one stage or metric at a time
``gather``          all evidence about a case, stage by stage
``prover``          proof as a stage
``refuter``         the search for a witness as a stage
``signs``           signs of the gold and of the prediction as a stage
``contradictions``  pairs that are both proved and refuted
``briefs``          what a judge is to be asked
``brief_parts``     what a judge is told about tables, columns, results and facts
``examine``         what happens to one case
``court``           where findings wait for a judge
``coordinate``      workers, court and log together
``batches``         a chunk of tasks: first all their queries, then the rest
``local``           in this process
``processes``       in worker processes that are watched and, if need be, killed
"""
