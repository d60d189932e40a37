"""A panel: several models, or one model several times, and a rule for their votes.

Every model of ``settings.models`` (or the one ``settings.model``) is asked
``settings.samples`` times by the judge ``settings.member``. Each vote is a full opinion of
that judge. Rules:

* ``majority``: more than half of the votes that could be read. A tie is no verdict.
* ``unanimity``: every vote could be read and all agree; anything else is no verdict.

No verdict is ``JUDGE_UNPARSEABLE`` with the flag ``tie`` or ``split``; if no vote at all could
be had, the reason is the members' own. ``Opinion.votes`` holds all votes; the flag ``unstable``
marks votes that differ. How steady a judge is over a run, see ``stability.py``.

One model at temperature 0 gives equal samples where its server is deterministic; set a
temperature to see how sure it is.
"""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.errors import UsageError
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import BUDGET, PENDING, Opinion, Settings
from sqlverdict.records import Reason


@JUDGES.member
class Panel:
    """Several votes and a rule."""

    name = "panel"
    version = 1

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """As many hearings as models times samples.

        Raises:
            UsageError: the panel is to be made of panels, or of an unknown judge.
        """
        if settings.member == self.name:
            raise UsageError("a panel cannot be its own member; set member to a single judge")
        member = JUDGES.get(settings.member)
        opinions: list[Opinion] = []
        for model in settings.models or (settings.model,):
            for sample in range(settings.samples):
                one = replace(settings, model=model, sample=settings.sample + sample)
                opinions.append((yield from member.conduct(brief, one)))
                if {BUDGET, PENDING} & set(opinions[-1].flags):
                    return _stopped(self, settings, opinions)
        return _decide(self, settings, opinions)


def _decide(panel: Panel, settings: Settings, opinions: list[Opinion]) -> Opinion:
    votes = [opinion.correct for opinion in opinions]
    cast = [vote for vote in votes if vote is not None]
    yes, no = cast.count(True), cast.count(False)
    unstable = ("unstable",) if yes and no else ()
    if not cast:
        return _sum(panel, settings, opinions, None, opinions[0].reason, opinions[0].explanation)
    text = f"{yes} of {len(votes)} votes for correct, {no} against"
    if len(cast) < len(votes):
        text += f", {len(votes) - len(cast)} that could not be had"
    if settings.rule == "unanimity":
        verdict = cast[0] if len(cast) == len(votes) and not unstable else None
        why = "split"
    else:
        verdict = None if yes == no else yes > no
        why = "tie"
    if verdict is None:
        text += f": no verdict by {settings.rule}"
        flags = (why, *unstable)
        return _sum(panel, settings, opinions, None, Reason.JUDGE_UNPARSEABLE, text, flags)
    side = next(opinion for opinion in opinions if opinion.correct is verdict)
    return _sum(panel, settings, opinions, verdict, None, f"{text}.\n{side.explanation}", unstable)


def _stopped(panel: Panel, settings: Settings, opinions: list[Opinion]) -> Opinion:
    """A limit was reached, or a call waits in a batch: no verdict from a part of the panel."""
    last = opinions[-1]
    return _sum(panel, settings, opinions, None, last.reason, last.explanation)


def _sum(
    panel: Panel,
    settings: Settings,
    opinions: list[Opinion],
    correct: bool | None,
    reason: Reason | None,
    explanation: str,
    flags: tuple[str, ...] = (),
) -> Opinion:
    costs = [opinion.cost for opinion in opinions]
    known = [cost for cost in costs if cost is not None]
    own = [flag for opinion in opinions for flag in opinion.flags]
    return Opinion(
        correct=correct,
        reason=reason,
        explanation=explanation,
        flags=tuple(dict.fromkeys((*flags, *own))),
        votes=tuple(opinion.correct for opinion in opinions),
        calls=sum(opinion.calls for opinion in opinions),
        cached=sum(opinion.cached for opinion in opinions),
        tokens=(
            sum(opinion.tokens[0] for opinion in opinions),
            sum(opinion.tokens[1] for opinion in opinions),
        ),
        cost=sum(known) if len(known) == len(costs) else None,
        judge=f"{panel.name}@{panel.version}",
        model=",".join(settings.models) or settings.model,
    )
