"""Keeps a prompt that shows evidence within its bound, and says what is left out first.

A prompt above ``Settings.max_prompt`` tokens (by the rule of thumb of ``llm/costs.py``) loses, in
this order and only as far as needed:

1. rows of the two results: of each the first and the last 10 stay;
2. the tables of the schema that neither query reads;
3. the middle of what is said about a column, beyond 300 characters;
4. what the columns mean;
5. how many rows the tables have;
6. more rows of the results: the first and the last 3 stay;
7. the middle of every text that is still long: the schema, the queries, the witness and the rest
   are cut to 4,000 characters each, then to half of that, and so on.

The question, both queries, the witness, how the results relate, facts about the queries and what
is open are never left out as a whole. The prompt says what was left out, and the opinion has the
flag ``shortened``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlverdict.dialects import dialect_of
from sqlverdict.judge.asking import CallCounts
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.opinion import SHORTENED, Settings
from sqlverdict.llm.costs import estimate_tokens
from sqlverdict.llm.neutral import LONGEST_SQL, bare_sql, shorten
from sqlverdict.llm.request import Request

MOST_OF_A_TEXT = 4_000
MOST_OF_A_COLUMN = 300
LEAST_OF_A_TEXT = 60
LEAST_OF_A_QUESTION = 300
"""Ours have about 130 characters."""
_MANY, _FEW = 10, 3
_HEADER = 2


def fitted(
    brief: Brief, settings: Settings, tally: CallCounts, make: Callable[[Brief], Request]
) -> Request:
    """The request of a brief, within the tokens that a prompt may have.

    Args:
        brief: What is to be shown.
        settings: How many tokens that are.
        tally: Gets a flag where something was left out.
        make: Makes a request of a brief.
    """
    most, whole = settings.max_prompt, brief
    request = make(brief)
    for what, step in STEPS:
        if estimate_tokens(request) <= most:
            break
        smaller = step(brief)
        if smaller != brief:
            brief = _without(smaller, what)
            request = make(brief)
    uncut, longest = brief, MOST_OF_A_TEXT
    while estimate_tokens(request) > most and longest >= LEAST_OF_A_TEXT:
        brief = _without(_cut(uncut, longest), "the middle of long texts")
        request = make(brief)
        longest //= 2
    if brief is not whole:
        tally.flag(SHORTENED)
    return request


def _without(brief: Brief, what: str) -> Brief:
    return replace(brief, left_out=tuple(dict.fromkeys((*brief.left_out, what))))


def _fewer_rows(brief: Brief, rows: int) -> Brief:
    return replace(
        brief,
        gold_table=_ends(brief.gold_table, rows),
        prediction_table=_ends(brief.prediction_table, rows),
    )


def _ends(table: str | None, rows: int) -> str | None:
    """The first and last rows of a table; its last line is its shape, and stays."""
    lines = (table or "").split("\n")
    if len(lines) <= _HEADER + 2 * rows + 2:
        return table
    return "\n".join([*lines[: _HEADER + rows], "...", *lines[-rows - 1 :]])


def _short_schema(brief: Brief) -> Brief:
    return replace(brief, schema_text=brief.schema_short) if brief.schema_short else brief


def _short_columns(brief: Brief) -> Brief:
    return replace(brief, columns=tuple(shorten(line, MOST_OF_A_COLUMN) for line in brief.columns))


STEPS: tuple[tuple[str, Callable[[Brief], Brief]], ...] = (
    ("most rows of the results", lambda brief: _fewer_rows(brief, _MANY)),
    ("tables that neither query reads", _short_schema),
    ("the middle of what the columns mean", _short_columns),
    ("what the columns mean", lambda brief: replace(brief, columns=())),
    ("how many rows the tables have", lambda brief: replace(brief, sizes=())),
    ("most rows of the results", lambda brief: _fewer_rows(brief, _FEW)),
)
"""What is left out, in this order."""


def _cut(brief: Brief, most: int) -> Brief:
    """The brief with every text cut in its middle."""
    return replace(
        brief,
        schema_text=shorten(brief.schema_text, most),
        question=shorten(brief.question, most),
        knowledge=shorten(brief.knowledge, most),
        gold=_cut_sql(brief.gold, brief.dialect, most),
        prediction=_cut_sql(brief.prediction, brief.dialect, most),
        gold_table=shorten(brief.gold_table or "", most) or None,
        prediction_table=shorten(brief.prediction_table or "", most) or None,
        witness=shorten(brief.witness or "", most) or None,
        relations=_cut_lines(brief.relations, most),
        notes=_cut_lines(brief.notes, most),
        gold_facts=_cut_lines(brief.gold_facts, most),
        prediction_facts=_cut_lines(brief.prediction_facts, most),
        unmatched=_cut_lines(brief.unmatched, most),
        open_question=shorten(brief.open_question, max(most, LEAST_OF_A_QUESTION)),
    )


def _cut_sql(sql: str, dialect: str, most: int) -> str:
    if len(sql) > most and dialect_of(dialect).plain_tokens:
        # Without its comments more of a query is left.
        sql = bare_sql(shorten(sql, 2 * LONGEST_SQL))
    return shorten(sql, most)


def _cut_lines(lines: Sequence[str], most: int) -> tuple[str, ...]:
    """As many lines as fit, at least one, each of them cut."""
    fitting: list[str] = []
    left = most
    for line in lines:
        if fitting and len(line) > left:
            break
        fitting.append(shorten(line, most))
        left -= len(line)
    return tuple(fitting)
