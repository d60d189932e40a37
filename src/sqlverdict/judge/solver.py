"""LLM-SQL-Solver's manner: ask whether two queries are equivalent, with nothing but a schema."""

from __future__ import annotations

from dataclasses import replace

from sqlverdict.judge.asking import CallCounts, ask, make_request, opinion_of
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.briefs.context import NOTHING, answer_schema, values_of
from sqlverdict.judge.judge import Conduct
from sqlverdict.judge.opinion import Settings
from sqlverdict.judge.prompting import PROMPTS
from sqlverdict.judge.replies.conclusion import EQUIVALENT, read

SCHEMA = answer_schema(equivalent={"type": "boolean"})


def compare_queries(judge: str, prompt: str, brief: Brief, settings: Settings) -> Conduct:
    """One call with a prompt that shows the schema and both queries; equivalent is correct."""
    # Without the gold there is nothing to compare with, whatever an ablation leaves out.
    values = values_of(brief, replace(settings, gold=True), results=False)
    values["gold"] = values["gold"] or NOTHING
    tally = CallCounts()
    request = make_request(PROMPTS.load(prompt, settings.prompts), values, settings, SCHEMA)
    found = yield from ask(request, lambda text: read(text, EQUIVALENT), settings, tally)
    return opinion_of(judge, settings, tally, found)
