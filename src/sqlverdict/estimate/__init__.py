"""The share of answers that people would call right, from a few labels.

``strata``   the parts of a run that the evidence tells apart before anybody labels
"""
