"""LLM-SQL-Solver's manner: ask whether two queries are equivalent, with nothing but a schema."""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.judge.asking import PROMPTS, CallCounts, ask, make_request, opinion_of
from sqlverdict.judge.briefs.brief import NOTHING, Brief, answer_schema, prompt_values
from sqlverdict.judge.judge import Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.replies.conclusion import EQUIVALENT, read_conclusion

SCHEMA = answer_schema(equivalent={"type": "boolean"})


class Solver:
    """A judge that sees the schema and both queries; equivalent is correct.

    Its prompt has the judge's name.
    """

    name: str
    version = 1
    sees_evidence = False

    def conduct(self, brief: Brief, settings: Settings) -> Conduct:
        """One call, and more only where its reply cannot be read."""
        # Without the gold there is nothing to compare with, whatever an ablation leaves out.
        values = prompt_values(brief, replace(settings, gold=True), results=False)
        values["gold"] = values["gold"] or NOTHING
        tally = CallCounts()
        request = make_request(PROMPTS.load(self.name, settings.prompts), values, settings, SCHEMA)
        reading = yield from ask(
            request, lambda text: read_conclusion(text, EQUIVALENT), settings, tally
        )
        return opinion_of(f"{self.name}@{self.version}", settings, tally, reading)
