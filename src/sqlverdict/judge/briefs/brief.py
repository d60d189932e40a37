"""What a judge is told about one case: everything as text, nothing to run."""

from __future__ import annotations

from dataclasses import dataclass

from sqlverdict.dialects import DEFAULT_DIALECT


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
