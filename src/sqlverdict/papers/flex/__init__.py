"""FLEX (Kim et al., 2024): https://arxiv.org/abs/2409.19014.

* ``paper.py``: its tables and figures
* ``flex_files.py``: where its published files are, and what is read of them
* ``people.py``: tables 3 to 5: agreement with three experts
* ``judges.py``: figures 3 and 8: agreement by model, size and price
* ``systems.py``: tables 1, 8 and 9, figures 1, 4, 5 and 7: systems by EX and by FLEX
* ``kinds.py``: figures 6 and 9: kinds of error and of difference
* ``examples.py``: table 2: three pairs of queries
"""
