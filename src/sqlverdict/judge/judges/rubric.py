"""A rubric of 1 to 5 with a threshold, in the manner of Prometheus.

The judge sees what FLEX sees, gives feedback and then a score. Scores from
``settings.threshold`` on count as correct; FLEX found 4 to agree best with people. The score
itself is kept as a flag: ``score_3``.

Source: Prometheus 2 (Kim et al., 2024) as FLEX uses it (appendix F.2); the wording is ours.
"""

from __future__ import annotations

from sqlverdict.judge.asking import PROMPTS, CallCounts, NoReading, ask, make_request, opinion_of
from sqlverdict.judge.briefs.brief import Brief, answer_schema, prompt_values
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.replies.conclusion import ReplyReading, read_conclusion, score_form

LOW, HIGH = 1, 5
FORM = score_form(LOW, HIGH)
SCHEMA = answer_schema(score={"type": "integer", "minimum": LOW, "maximum": HIGH})


@JUDGES.member
class Rubric:
    """A score with a threshold."""

    name = "rubric"
    version = 1
    sees_evidence = False

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """One call, and more only where its reply cannot be read."""
        with_results = settings.results_eq if brief.equal is True else settings.results_neq
        values = prompt_values(brief, settings, results=with_results)
        tally = CallCounts()
        request = make_request(PROMPTS.load("rubric", settings.prompts), values, settings, SCHEMA)
        scored = yield from ask(request, lambda text: read_conclusion(text, FORM), settings, tally)
        verdict: ReplyReading[bool] | NoReading
        if isinstance(scored, NoReading):
            verdict = scored
        else:
            score = scored.value or 0
            tally.flag(f"score_{score}")
            verdict = ReplyReading(score >= settings.threshold, scored.flags, scored.explanation)
        return opinion_of(f"{self.name}@{self.version}", settings, tally, verdict)
