"""LLM-SQL-Solver, *miniature and mull*: try small databases in the mind, then conclude.

The judge sees the schema and the two queries, not the question, the knowledge or the
results. It makes up small tables, works out both answers, and says whether the queries are
equivalent; equivalent to the gold counts as correct. A baseline: it cannot forgive a
harmless difference, nor see that the gold is wrong.

Source: LLM-SQL-Solver (Zhao et al., 2023), table 3 of FLEX; the wording is ours.
"""

from __future__ import annotations

from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.solver import compare_queries


@JUDGES.member
class SolverMiniature:
    """Equivalence by small databases in the mind."""

    name = "solver_miniature"
    version = 1
    sees_evidence = False

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """One call, and more only where its reply cannot be read."""
        label = f"{self.name}@{self.version}"
        return (yield from compare_queries(label, "solver_miniature", brief, settings))
