"""From a brief to a prompt's values: what is shown, and that it is quoted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlverdict.judge.brief import Brief
from sqlverdict.judge.neutral import MARK, clean, quote, quote_sql
from sqlverdict.judge.opinion import Settings

SHOWN = "yes"
"""The value of a field that only switches a section on."""

NOTHING = f"{MARK}(nothing)"
"""Stands where a query should."""


def values_of(
    brief: Brief, settings: Settings, *, results: bool = True, evidence: bool = False
) -> dict[str, str]:
    """A prompt's values: all text from outside quoted, the settings' switches heeded.

    Args:
        brief: What is to be judged.
        settings: Which parts of it are shown.
        results: Whether the results are shown, where the brief holds them.
        evidence: Whether the witness, the relations and the notes are shown.
    """
    values = {
        "schema": quote(brief.schema_text),
        "prediction": quote_sql(brief.prediction, brief.dialect) or NOTHING,
        "dialect": " ".join(clean(brief.dialect).split()),
        "equal": _switch(brief.equal is True),
        "differ": _switch(brief.equal is False),
        "open": _switch(brief.equal is None),
        "criteria": _switch(settings.criteria),
        "structured": _switch(settings.structured),
        "sqlite": _switch(brief.dialect == "sqlite"),
    }
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
        values["relations"] = quote("\n".join(f"- {_flat(each)}" for each in brief.relations))
        values["notes"] = quote("\n".join(f"- {_flat(each)}" for each in brief.notes))
    return values


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
    return SHOWN if on else ""


def _flat(text: str) -> str:
    return " ".join(text.split())
