"""A panel: several judges or models, or one of them several times, and a rule for their votes.

Each judge of ``settings.members`` is put to each model of ``settings.models`` (or the one
``settings.model``), ``settings.samples`` times. Each vote is a full opinion of that judge. By
default three judges with different prompts vote: one that first judges without the gold, one
that weighs the evidence, and one that sees neither. Their mistakes are less alike than those of
one prompt that is asked three times. Rules:

* ``majority``: more than half of the votes that could be read. A tie is no verdict.
* ``unanimity``: every vote could be read and all agree; anything else is no verdict.

No verdict is ``JUDGE_UNPARSEABLE`` with the flag ``tie`` or ``split``; if no vote at all could
be had, the reason is the members' own. ``Opinion.votes`` holds all votes; the flag ``unstable``
marks votes that differ, ``unanimous`` several votes that are all there and agree. Unanimity is
evidence of its own, whatever the rule: every vote is asked for, also where the first ones have
decided.

One model at temperature 0 gives equal samples where its server is deterministic; set a
temperature to see how sure it is.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from sqlverdict.errors import UsageError
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import BUDGET, PENDING, UNANIMOUS, Opinion, Settings
from sqlverdict.records import Reason


@JUDGES.member
class Panel:
    """Several votes and a rule."""

    name = "panel"
    version = 2

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """Asks each judge once for each model and sample.

        Raises:
            UsageError: the panel is to be made of panels, or of an unknown judge.
        """
        if self.name in settings.members:
            raise UsageError("a panel cannot be its own member; set members to other judges")
        members = [JUDGES.get(name) for name in settings.members]
        models = settings.models or (settings.model,)
        opinions: list[Opinion] = []
        for model, member, sample in product(models, members, range(settings.samples)):
            one = replace(settings, model=model, sample=settings.sample + sample)
            opinions.append((yield from member.conduct(brief, one)))
            if BUDGET in opinions[-1].flags:
                return _stopped(self, settings, opinions[-1], opinions)
        # The votes do not depend on each other: one batch takes them all.
        waiting = next((opinion for opinion in opinions if PENDING in opinion.flags), None)
        if waiting is not None:
            return _stopped(self, settings, waiting, opinions)
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
    agree = len(cast) == len(votes) > 1 and not unstable
    flags = (UNANIMOUS,) if agree else unstable
    return _sum(panel, settings, opinions, verdict, None, f"{text}.\n{side.explanation}", flags)


def _stopped(panel: Panel, settings: Settings, cause: Opinion, opinions: list[Opinion]) -> Opinion:
    """A limit was reached, or a call waits in a batch: no verdict from a part of the panel."""
    return _sum(panel, settings, opinions, None, cause.reason, cause.explanation)


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
