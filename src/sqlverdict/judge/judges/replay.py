"""Recorded replies as a judge: published judgements, run through our parser and policies.

The judge asks for the reply recorded for the brief's case, under its id; the answerer must be a
:class:`sqlverdict.judge.recorded.Recorded`. A recorded reply is always the same, so one that
cannot be read is not asked for again. Kinds of error or of difference come with the verdict where
they are recorded, as in FLEX's files; nobody is asked for them.
"""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.judge.asking import CallCounts, ask, opinion_of
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.categories import kinds_for, read_categories, with_categories
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.recorded import CATEGORIES, recorded_request
from sqlverdict.judge.replies.conclusion import read_verdict
from sqlverdict.llm.request import Reply


@JUDGES.member
class ReplayJudge:
    """The verdict of a recorded reply."""

    name = "replay"
    version = 2
    gives_categories = True

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """Read the recorded reply; no call is made."""
        tally = CallCounts()
        request = recorded_request(brief.case_id, settings)
        once = replace(settings, retries_unparseable=0)
        read = yield from ask(request, read_verdict, once, tally)
        opinion = opinion_of(f"{self.name}@{self.version}", settings, tally, read)
        kinds = kinds_for(brief.equal, opinion.correct)
        reply = (yield recorded_request(brief.case_id, settings, CATEGORIES)) if kinds else None
        if not isinstance(reply, Reply):
            return opinion
        tally.add(reply)
        opinion = opinion_of(f"{self.name}@{self.version}", settings, tally, read)
        return with_categories(opinion, read_categories(reply.text, kinds).value)
