"""LLM-SQL-Solver, *explain and compare*: explain each query, then look for differences.

The judge sees the schema and the two queries, not the question, the knowledge or the
results. It explains both in plain words and says whether a significant difference is left;
none counts as correct. A baseline, looser than ``solver_miniature``: "significant" is the
model's to decide.

Source: LLM-SQL-Solver (Zhao et al., 2023), table 3 of FLEX; the wording is ours.
"""

from __future__ import annotations

from sqlverdict.judge.judge import JUDGES
from sqlverdict.judge.solver import Solver


@JUDGES.member
class SolverExplain(Solver):
    """Equivalence by explanations compared."""

    name = "solver_explain"
