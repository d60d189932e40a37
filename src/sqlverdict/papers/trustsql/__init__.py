"""TrustSQL (Lee et al., 2024).

* ``paper.py``: its tables and figures; figure 2, the sum over the surest answers
* ``printed.py``: what its large tables print
* ``sizes.py``: tables 1, 4 and 5: how many questions, tables, columns, and how hard
* ``systems.py``: tables 2 and 3, the reliability score of published counts and recorded systems;
  tables 10 to 12, the recorded systems, executed
* ``detectors.py``: table 7, unanimity of recorded samples; tables 8 and 9, a random forest over
  words, and recorded gates
"""
