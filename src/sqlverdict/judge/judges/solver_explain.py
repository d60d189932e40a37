"""LLM-SQL-Solver, *explain and compare*: explain each query, then look for differences.

The judge sees the schema and the two queries, not the question, the knowledge or the
results. It explains both in plain words and says whether a significant difference is left;
none counts as correct. A baseline, looser than ``solver_miniature``: "significant" is the
model's to decide.

Source: LLM-SQL-Solver (Zhao et al., 2023), table 3 of FLEX; the wording is ours.
"""

from __future__ import annotations

from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.solver import compare_queries


@JUDGES.member
class SolverExplain:
    """Equivalence by explanations compared."""

    name = "solver_explain"
    version = 1
    sees_evidence = False

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """One call, and more only where its reply cannot be read."""
        label = f"{self.name}@{self.version}"
        return (yield from compare_queries(label, "solver_explain", brief, settings))
