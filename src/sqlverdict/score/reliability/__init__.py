"""Scores of systems that may abstain, and confidences that mean something.

``outcomes``           what became of each item: one of six cells, or unscored
``reliability_score``  RS(c), the reliability score
``intervals``          how sure RS(c) is, and whether one system's is better
``items``              one pass over a run: tables, slices and confidences
``curve``              the risk-coverage curve
``curve_intervals``    how sure a curve's figures are, and whether two curves differ
``calibration``        whether a confidence means what it says: ECE, Brier score
``thresholds``         from what confidence on a system should answer
"""
