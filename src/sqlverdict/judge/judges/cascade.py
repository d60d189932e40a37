"""A cascade of two: judge the prediction without the gold, then challenge that with the gold.

The first call asks whether the prediction answers the question, with no reference to lean
on; so a wrong gold cannot mislead it. The second call sees the first judgement, quoted, and
the gold with all evidence, and looks for what was overlooked. Its verdict counts; where it
changes the first one, the flag ``overturned`` says so.

The second call is made only where it may change a verdict for a reason:

* the first call accepts the prediction; or
* the results match, or nobody knows whether they do. A match speaks for the prediction, and
  the first call does not know of it.

Where the results differ and the first call rejects the prediction, that is the verdict, with
the flag ``unchallenged``: two things speak against it, and neither was found with the other's
help. ``docs/measurements/judge.md`` has what recorded judges say of this order.

If a reply cannot be read there is no verdict. With ``settings.gold`` off there is nothing to
challenge with, and the first verdict counts.

Source: the prover and refuter of ROSE (Pei et al., 2026); the prompts and the rule are ours.
"""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.judge.asking import PROMPTS, CallCounts, NoReading, ask, make_request, opinion_of
from sqlverdict.judge.briefs.brief import VERDICT_SCHEMA, Brief, prompt_values
from sqlverdict.judge.briefs.fit import fitted
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.replies.conclusion import read_verdict
from sqlverdict.llm.neutral import quote
from sqlverdict.llm.request import Request

LONGEST_EARLIER = 4_000
UNCHALLENGED = "unchallenged"
"""The results differ, the first call rejects the prediction, and no second one was made."""


@JUDGES.member
class Cascade:
    """First without the gold, then against it."""

    name = "cascade"
    version = 2

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """One call or two, and more only where a reply cannot be read."""
        label = f"{self.name}@{self.version}"
        tally = CallCounts()
        alone = PROMPTS.load("cascade_alone", settings.prompts)
        challenge = PROMPTS.load("cascade_challenge", settings.prompts)
        without_gold = replace(settings, gold=False)

        def make_alone(fitted: Brief) -> Request:
            return make_request(
                alone, prompt_values(fitted, without_gold), settings, VERDICT_SCHEMA
            )

        request = fitted(_without_evidence(brief), settings, tally, make_alone)
        first = yield from ask(request, read_verdict, settings, tally)
        if isinstance(first, NoReading) or not settings.gold:
            return opinion_of(label, settings, tally, first)
        if brief.equal is False and not first.value:
            tally.flag(UNCHALLENGED)
            return opinion_of(label, settings, tally, first)
        judged = "it answers the question" if first.value else "it does not answer the question"
        earlier = quote(f"{first.explanation}\n\nJudged: {judged}.", LONGEST_EARLIER)

        def make(fitted: Brief) -> Request:
            values = {**prompt_values(fitted, settings, evidence=True), "earlier": earlier}
            return make_request(challenge, values, settings, VERDICT_SCHEMA)

        request = fitted(brief, settings, tally, make)
        second = yield from ask(request, read_verdict, settings, tally)
        if not isinstance(second, NoReading) and second.value != first.value:
            tally.flag("overturned")
        return opinion_of(label, settings, tally, second)


def _without_evidence(brief: Brief) -> Brief:
    """What the first call may see, so that nothing else counts for its length."""
    return replace(brief, gold="", gold_table=None, columns=(), sizes=(), witness=None)
