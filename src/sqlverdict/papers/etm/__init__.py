"""ETM (Ascoli et al., 2025).

* ``paper.py``: its tables and figures
* ``scores.py``: tables 4 and 5, scores of systems
* ``errors.py``: table 6, errors of metrics
* ``rules.py``: tables 1 to 3 and figures 7 and A1, its rules and what each contributes
* ``examples.py``: figures 1 to 6, its example pairs
"""
