"""LLM-SQL-Solver, *miniature and mull*: try small databases in the mind, then conclude.

The judge sees the schema and the two queries, not the question, the knowledge or the
results. It makes up small tables, works out both answers, and says whether the queries are
equivalent; equivalent to the gold counts as correct. A baseline: it cannot forgive a
harmless difference, nor see that the gold is wrong.

Source: LLM-SQL-Solver (Zhao et al., 2023), table 3 of FLEX; the wording is ours.
"""

from __future__ import annotations

from sqlverdict.judge.judge import JUDGES
from sqlverdict.judge.solver import Solver


@JUDGES.member
class SolverMiniature(Solver):
    """Asks the model to try both queries on small databases of its own."""

    name = "solver_miniature"
