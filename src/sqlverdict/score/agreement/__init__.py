"""How far metrics, judges and people agree.

``agreement``   a metric and people: kappa, accuracies, MCC, with intervals
``annotators``  people with one another: Fleiss' and Cohen's kappa
``combined``    several judges as one, by a stated rule
``power``       whether labels tell two metrics apart, and how many more would
"""
