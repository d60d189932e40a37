"""FLEX: one call, in a context that depends on whether the results match.

Where the results match, the judge looks for luck: it sees the question, the knowledge, the
schema, both queries and the criteria for lucky matches, and no results, since equal results
persuade it. Where they differ, or where it is open whether they match, it looks for
unfairness: it sees both results too, and the criteria for acceptable differences.

Every part of the context can be switched off in the settings, for ablations.

Source: FLEX (Kim et al., 2024), sections 5 and 6.2, appendix F; the wording is ours.
"""

from __future__ import annotations

from sqlverdict.judge.asking import PROMPTS, CallCounts, ask, make_request, opinion_of
from sqlverdict.judge.briefs.brief import VERDICT_SCHEMA, Brief, prompt_values
from sqlverdict.judge.judge import JUDGES, Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.replies.conclusion import read_verdict


@JUDGES.member
class FlexJudge:
    """The FLEX judge."""

    name = "flex"
    version = 1
    sees_evidence = False

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """One call, and more only where its reply cannot be read."""
        match = brief.equal is True
        prompt = PROMPTS.load("flex_eq" if match else "flex_neq", settings.prompts)
        with_results = settings.results_eq if match else settings.results_neq
        values = prompt_values(brief, settings, results=with_results)
        tally = CallCounts()
        request = make_request(prompt, values, settings, VERDICT_SCHEMA)
        read = yield from ask(request, read_verdict, settings, tally)
        return opinion_of(f"{self.name}@{self.version}", settings, tally, read)
