"""Recorded verdicts as a judge: what a judge said elsewhere, case by case, without its words.

The verdict is the one that was recorded for the brief's case; ``settings.model`` names whose
verdicts they are, such as ``o3/FLEX``. A case without a verdict, or with one that is neither right
nor wrong, has no opinion: unscored, never incorrect. The answerer must be a
:class:`sqlverdict.judge.recorded.Recorded` of verdicts. For recorded replies, which have to be
read, there is ``replay``.
"""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.judge.asking import CallCounts, ask, opinion_of
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import VERDICT_FIRST, Settings
from sqlverdict.judge.recorded import recorded_request
from sqlverdict.judge.replies.conclusion import read_verdict


@JUDGES.member
class RecordedVerdict:
    """A verdict that was recorded elsewhere."""

    name = "recorded"
    version = 1

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """Read the recorded verdict; no call is made."""
        tally = CallCounts()
        request = recorded_request(brief.case_id, settings)
        once = replace(settings, retries_unparseable=0)
        read = yield from ask(request, read_verdict, once, tally)
        opinion = opinion_of(f"{self.name}@{self.version}", settings, tally, read)
        # A verdict that was recorded without words does not come before them.
        return replace(opinion, flags=tuple(f for f in opinion.flags if f != VERDICT_FIRST))
