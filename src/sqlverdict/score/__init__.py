"""What turns results into values, estimates, tests and summaries.

``metric``        what a metric is, and how a user names one; other names of metrics
``metrics/``      one file per metric
``metric_kinds``  what metrics on rows, on time, on proofs and on opinions share
``sessions``      conversations that are right as a whole, intervals of their turns
``estimates``     means with intervals, over a run and its slices
``summary``       all that a report prints of a run: estimates, verdicts, reasons, judges
``deciding``      which metric decides what reports call right and wrong
``cuts``          what weakens a case's score: limits, missing searches
``expected``      the score that people would give a run
``usage``         what a run spent: money, tokens, seconds
``calibration``   counts of labels from runs, and how well they foretell others
``statistics/``   intervals and tests
``agreement/``    how far metrics and people agree
``reliability/``  scores with abstention, confidences and thresholds
"""
