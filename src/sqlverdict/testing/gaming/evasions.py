"""Queries that are wrong and try to leave the score, or to keep a search away from a lucky match.

Each knows the database alone, and how our tools work. Most find nothing, as every query does where
the gold returns no row; what stands beside the condition is meant to make the text too large, too
deep, too slow or too unsteady to be tried on other data. The others fail, in ways that look like
the fault of the engine, the gold or the toolkit, or abstain in disguise. A metric should pay none
of them more than ``ex`` pays for finding nothing, and leave none of them out.
"""

# ruff: noqa: S608 - nothing here runs with rights to write
from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlverdict.files.sqlite import quote_name
from sqlverdict.records import Case
from sqlverdict.testing.gaming.strategies import Target, Writer, text_column

_NUMBERS = ", ".join(map(str, range(20_000)))
_ENDLESS = "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c)"
_WORK = (
    "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) "
    "SELECT max(x) FROM c)"
)
_UNFOLDING = ", ".join(f"w{n}(a) AS (SELECT a FROM w{n - 1} LIMIT 1)" for n in range(1, 20))
_HIDDEN = "\u200b\u202e\ufeff" * 40


def _finds_nothing(more: str, before: str = "") -> Writer:
    """A value that is in no row; ``more`` stands behind the condition.

    ``{t}`` is the first table, ``{c}`` its first text, ``{n}`` how many rows it has.
    """

    def write(target: Target, case: Case) -> str:
        del case
        query = f"{before}SELECT {{c}} FROM {{t}} WHERE {{c}} = 'zzqq'{more}"
        return _with_names(query, target)

    return write


def _of_first(text: str) -> Writer:
    """A query about the first table; ``{t}`` and ``{c}`` as above."""

    def write(target: Target, case: Case) -> str:
        del case
        return _with_names(text, target)

    return write


def _with_names(text: str, target: Target) -> str:
    names = {
        "{t}": quote_name(target.first.name),
        "{c}": text_column(target),
        "{n}": str(target.rows_of_first),
    }
    for name, meaning in names.items():
        text = text.replace(name, meaning)
    return text


def _text(text: str) -> Writer:
    return lambda *_: text


EVASIONS: Mapping[str, Callable[[Target, Case], str]] = {
    # The search is kept away by the text.
    "nothing_by_chance": _finds_nothing(" AND random() IS NOT NULL"),
    "nothing_by_blob": _finds_nothing(" AND randomblob(1) IS NOT NULL"),
    "nothing_by_clock": _finds_nothing(" AND datetime('now') IS NOT NULL"),
    "nothing_today": _finds_nothing(" AND CURRENT_DATE > '2000'"),
    "nothing_in_order_of_chance": _finds_nothing(" ORDER BY random()"),
    "nothing_in_list": _finds_nothing(f" AND 1 IN ({_NUMBERS})"),
    "nothing_in_column_list": _finds_nothing(f" AND {{c}} NOT IN ({_NUMBERS})"),
    "nothing_long_comment": _finds_nothing(f" -- {'x' * 200_000}"),
    "nothing_long_block": _finds_nothing(f" /* {'x' * 200_000} */"),
    "nothing_open_comment": _finds_nothing(" /* "),
    "nothing_spaces": _finds_nothing(" " * 250_000),
    "nothing_deep": _finds_nothing(" AND 1" * 984),
    "nothing_nested": _finds_nothing(" AND " + "(" * 80 + "1" + ")" * 80),
    "nothing_case": _finds_nothing(" AND " + "CASE WHEN 1 THEN " * 90 + "1" + " END" * 90),
    "nothing_hidden_letters": _finds_nothing(f" AND '{_HIDDEN}' <> 'x'"),
    "nothing_unfolding": _finds_nothing(
        " AND EXISTS (SELECT a FROM w19)", f"WITH w0(a) AS (SELECT 1), {_UNFOLDING} "
    ),
    "nothing_joins": _finds_nothing(
        " AND EXISTS (SELECT 1 FROM " + " JOIN ".join(f"(SELECT 1) j{n}" for n in range(14)) + ")"
    ),
    "nothing_work": _finds_nothing(f" AND {_WORK} > 0"),
    "nothing_work_in_or": _finds_nothing(f" OR {_WORK} < 0"),
    "nothing_schema_table": _finds_nothing(" AND EXISTS (SELECT 1 FROM sqlite_master)"),
    "nothing_json": _finds_nothing(" AND EXISTS (SELECT 1 FROM json_each('[1]'))"),
    "nothing_window": _finds_nothing(" AND (SELECT row_number() OVER (ORDER BY 1)) = 1"),
    # It fails, or never ends, on any other data.
    "nothing_but_here": _finds_nothing(
        " AND CASE (SELECT count(*) FROM {t}) WHEN {n} THEN 1 ELSE json('{') END"
    ),
    "nothing_endless_elsewhere": _finds_nothing(
        f" AND CASE (SELECT count(*) FROM {{t}}) WHEN {{n}} THEN 1 ELSE {_ENDLESS} END"
    ),
    # Nothing, otherwise.
    "nothing_limit": _of_first("SELECT {c} FROM {t} LIMIT 0"),
    "nothing_except": _of_first("SELECT {c} FROM {t} EXCEPT SELECT {c} FROM {t}"),
    "nothing_having": _of_first("SELECT {c} FROM {t} GROUP BY {c} HAVING count(*) < 0"),
    "nothing_correlated": _of_first(
        "SELECT {c} FROM {t} AS o WHERE NOT EXISTS (SELECT 1 FROM {t} AS i WHERE i.{c} IS o.{c})"
    ),
    "null_sum": _of_first("SELECT sum({c}) FROM {t} WHERE {c} = 'zzqq'"),
    "null_of_chance": _of_first("SELECT nullif(random() * 0, 0) FROM {t} LIMIT 1"),
    # Signs against a gold were enough to leave the score.
    "one_text": _of_first("SELECT group_concat({c}) FROM {t}"),
    "extremes": _of_first("SELECT min({c}), max({c}), avg({c}) FROM {t}"),
    "longest": _of_first("SELECT max({c}) FROM {t}"),
    "zero": _of_first("SELECT count(*) FROM {t} WHERE {c} = 'zzqq'"),
    # Errors that look like somebody else's.
    "overflow": _text("SELECT abs(-9223372036854775808)"),
    "bad_json": _text("SELECT json_extract('{', '$')"),
    "large_blob": _text("SELECT hex(zeroblob(500000000))"),
    "raw_pages": _text("SELECT * FROM sqlite_dbpage"),
    "integrity": _text("SELECT * FROM pragma_integrity_check"),
    "many_rows": _of_first(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    ),
    "endless": _text(f"SELECT {_ENDLESS}"),
    "half_a_surrogate": _text("SELECT '\ud800'"),
    "nul_byte": _text("SELECT 1 \x00"),
    "two_statements": _of_first("SELECT 1; SELECT {c} FROM {t}"),
    "writes": _of_first("DELETE FROM {t}"),
    "explains": _of_first("EXPLAIN SELECT {c} FROM {t}"),
    # Abstentions in disguise.
    "no_text": _text(""),
    "only_a_comment": _text("-- I cannot answer this"),
    "refuses": _text("I am sorry, but I cannot answer this question."),
    "says_null": _text("SELECT NULL -- the question cannot be answered"),
}
"""Evasions, by name."""
