"""From a brief to a prompt's values: what is shown, and that it is quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.dialects import dialect_of
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.neutral import MARK, neutralise, quote, quote_sql

YES = "yes"
"""The value of a field that only switches a section on."""

NOTHING = f"{MARK}(nothing)"
"""Stands where a query should."""


def prompt_values(
    brief: Brief, settings: Settings, *, results: bool = True, evidence: bool = False
) -> dict[str, str]:
    """A prompt's values: all text from outside quoted, the settings' switches heeded.

    Args:
        brief: What is to be judged.
        settings: Which parts of it are shown.
        results: Whether the results are shown, where the brief holds them.
        evidence: Whether everything else that was found out is shown: the witness, the
            relations, facts about the queries, sizes and columns of tables, and what is open.
    """
    values = {
        "schema": quote(brief.schema_text),
        "prediction": quote_sql(brief.prediction, brief.dialect) or NOTHING,
        "dialect": " ".join(neutralise(brief.dialect).split()),
        "equal": _switch(brief.equal is True),
        "differ": _switch(brief.equal is False),
        "open": _switch(brief.equal is None),
        "criteria": _switch(settings.criteria),
        "structured": _switch(settings.structured),
        "plain_tokens": _switch(dialect_of(brief.dialect).plain_tokens),
    }
    values["unmatched"] = _list(brief.unmatched)
    values["left_out"] = _flat(neutralise("; ".join(brief.left_out)))
    if settings.question:
        values["question"] = quote(brief.question)
    if settings.knowledge:
        values["knowledge"] = quote(brief.knowledge)
    if settings.gold:
        values["gold"] = quote_sql(brief.gold, brief.dialect)
    if results:
        values["prediction_table"] = quote(brief.prediction_table or "")
        if settings.gold:
            values["gold_table"] = quote(brief.gold_table or "")
    if evidence:
        values["witness"] = quote(brief.witness or "")
        values["relations"] = _list(brief.relations)
        values["notes"] = _list(brief.notes)
        values["sizes"] = _list(brief.sizes)
        values["columns"] = _list(brief.columns)
        values["facts"] = _list(fact_lines(brief, settings))
        values["asked"] = _flat(neutralise(brief.open_question))
    return values


def fact_lines(brief: Brief, settings: Settings) -> list[str]:
    """What was noticed about the queries, each line with whom it concerns.

    What both have in common stands once, so that nothing looks like a fault of one of them alone.
    """
    gold = brief.gold_facts if settings.gold else ()
    both = [fact for fact in gold if fact in brief.prediction_facts]
    sides = (
        ("both queries", both),
        ("the reference alone", [fact for fact in gold if fact not in both]),
        (
            "the prediction alone" if settings.gold else "the prediction",
            [fact for fact in brief.prediction_facts if fact not in both],
        ),
    )
    return [f"{side}: {fact}" for side, facts in sides for fact in facts]


def answer_schema(**fields: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of a reply: the reasoning first, then these fields."""
    properties = {"reasoning": {"type": "string"}, **fields}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


VERDICT_SCHEMA = answer_schema(correct={"type": "boolean"})


def _switch(on: bool) -> str:
    return YES if on else ""


def _list(lines: Sequence[str]) -> str:
    return quote("\n".join(f"- {_flat(each)}" for each in lines))


def _flat(text: str) -> str:
    return " ".join(text.split())
