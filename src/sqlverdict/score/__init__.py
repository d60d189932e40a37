"""What turns results into values, estimates, tests and summaries.

``metric``        what a metric is, and how a user names one
``metrics/``      one file per metric
``aliases``       other names of metrics
``parameters``    the parameters that metrics share
``answers``       metrics on rows: the best value over several golds
``overlap``       pairs rows of two answers by the cells they share
``timing``        metrics of efficiency: medians of warm runs
``opinions``      metrics of judges' opinions
``proofs``        metrics of proofs
``estimates``     means with intervals, over a run and its slices
``summary``       all that a report prints of a run: estimates, verdicts, reasons
``deciding``      which metric decides what reports call right and wrong
``cuts``          what weakens a case's score: limits, missing searches
``judge_counts``  what judges were asked, and what it took
``expected``      the score that people would give a run
``usage``         what a run spent: money, tokens, seconds
``calibration``   counts of labels from runs, and how well they foretell others
``statistics/``   intervals and tests
``agreement/``    how far metrics and people agree
``reliability/``  scores with abstention, confidences and thresholds
"""
