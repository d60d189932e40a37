"""Published papers, table by table: our values beside the values that a paper prints.

Each paper is a folder with a file ``paper.py`` that defines ``PAPER``; ``reproduce.py`` finds it.

* ``cell.py``: one value of a table, ours and the paper's, and their difference
* ``exhibit.py``: a table or figure of a paper, and the paper
* ``paper_data.py``: the data, the runs and the demo that exhibits are computed from
* ``pair_evidence.py``: proof or witness for a pair that a paper prints
* ``reproduce.py``: find a paper and its exhibits by name, compute them, and what came out
* ``etm/``: ETM (Ascoli et al., 2025)
* ``flex/``: FLEX (Kim et al., 2024)
* ``trustsql/``: TrustSQL (Lee et al., 2024)
* ``output.py``: the result as text, Markdown, JSON, and a page with figures
"""
