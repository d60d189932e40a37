"""A cascade of two: judge the prediction without the gold, then challenge that with the gold.

The first call asks whether the prediction answers the question, with no reference to lean
on; so a wrong gold cannot mislead it. The second call sees the first judgement, quoted, and
the gold with all evidence, and looks for what was overlooked, in either direction. Its
verdict counts; where it changes the first one, the flag ``overturned`` says so.

If the first reply cannot be read there is no verdict. With ``settings.gold`` off there is
nothing to challenge with, and the first verdict counts.

Source: the prover and refuter of ROSE (Pei et al., 2026); the prompts and the rule are ours.
"""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.judge.asking import CallCounts, NoReading, ask, make_request, opinion_of
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.briefs.context import VERDICT_SCHEMA, values_of
from sqlverdict.judge.briefs.fit import fitted
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import SHORTENED, Settings
from sqlverdict.judge.prompting import PROMPTS
from sqlverdict.judge.replies.conclusion import read_verdict
from sqlverdict.llm.neutral import quote
from sqlverdict.llm.request import Request

LONGEST_EARLIER = 4_000


@JUDGES.member
class Cascade:
    """First without the gold, then against it."""

    name = "cascade"
    version = 1

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """Two calls, and more only where a reply cannot be read."""
        label = f"{self.name}@{self.version}"
        tally = CallCounts()
        prompt = PROMPTS.load("cascade_alone", settings.prompts)
        alone = values_of(brief, replace(settings, gold=False))
        request = make_request(prompt, alone, settings, VERDICT_SCHEMA)
        first = yield from ask(request, read_verdict, settings, tally)
        if isinstance(first, NoReading) or not settings.gold:
            return opinion_of(label, settings, tally, first)
        prompt = PROMPTS.load("cascade_challenge", settings.prompts)
        judged = "it answers the question" if first.value else "it does not answer the question"
        earlier = quote(f"{first.explanation}\n\nJudged: {judged}.", LONGEST_EARLIER)

        def make(fitted: Brief) -> Request:
            values = {**values_of(fitted, settings, evidence=True), "earlier": earlier}
            return make_request(prompt, values, settings, VERDICT_SCHEMA)

        request, shortened = fitted(brief, settings.max_prompt, make)
        if shortened:
            tally.flag(SHORTENED)
        second = yield from ask(request, read_verdict, settings, tally)
        if not isinstance(second, NoReading) and second.value != first.value:
            tally.flag("overturned")
        return opinion_of(label, settings, tally, second)
