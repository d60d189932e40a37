"""What a judge is told about one case: everything as text, and quoted in a prompt's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlverdict.dialects import DEFAULT_DIALECT, dialect_of
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.neutral import MARK, neutralise, quote, quote_sql


@dataclass(frozen=True)
class Brief:
    """A case, its prediction and the evidence so far, ready to be put into a prompt.

    The texts are as the benchmark, the system and the engine wrote them, hostile or not;
    prompts quote them through ``neutral.py``, so whoever makes a brief need not clean them.

    Attributes:
        case_id: The case's id; recorded replies are found by it.
        db_id: The database's name.
        question: The question in natural language.
        knowledge: What the benchmark adds to the question (BIRD's evidence, FLEX's hint).
        schema_text: The schema, as ``schema_text.py`` writes it or as recorded.
        gold: The gold query.
        prediction: The predicted query.
        equal: Whether the results match on the real database; ``None``: open or unknown.
        gold_table: The gold's result, as ``tables.py`` writes it; ``None``: not at hand.
        prediction_table: The prediction's result, likewise.
        witness: A small database on which the queries differ, with both answers.
        relations: How the two results relate, a sentence each.
        notes: What else was found out (a proof that failed, how many databases agreed).
        dialect: Whose SQL it is.
        open_question: What is open, as a question; the judge is asked nothing else.
        gold_facts: What was noticed about the gold query, a sentence each.
        prediction_facts: What was noticed about the predicted query, likewise.
        unmatched: The comparisons of the predicted query that no row fulfils, and what their
            columns hold instead, a sentence each.
        sizes: How many rows the tables have that the queries read, a line each.
        columns: What the columns mean that the queries read, a line each.
        schema_short: The schema of the tables that the queries read; it stands in for
            ``schema_text`` where a prompt would be too long.
        left_out: What was left out to keep the prompt short.
    """

    case_id: str = ""
    db_id: str = ""
    question: str = ""
    knowledge: str = ""
    schema_text: str = ""
    gold: str = ""
    prediction: str = ""
    equal: bool | None = None
    gold_table: str | None = None
    prediction_table: str | None = None
    witness: str | None = None
    relations: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    dialect: str = DEFAULT_DIALECT
    open_question: str = ""
    gold_facts: tuple[str, ...] = ()
    prediction_facts: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    schema_short: str = ""
    left_out: tuple[str, ...] = ()


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
    return object_schema({"reasoning": {"type": "string"}, **fields})


def object_schema(properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
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
