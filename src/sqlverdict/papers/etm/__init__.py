"""ETM (Ascoli et al., 2025).

* ``paper.py``: its tables and figures
* ``scores.py``: tables 4 and 5
"""
