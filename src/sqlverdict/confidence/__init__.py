"""How probable it is that people call a prediction right, and what that rests on.

``counts``   the order of situations, and labels of people, counted by situation and label set
``rates``    rates from counts, never rising along the order; how far another set may lie
``model``    the probability of a case, with its bounds and its labels
``stored``   models in files; the one that comes with the package (``labels.json``)
"""
