"""Queries that are wrong and try to leave the score, or to keep a search away from a lucky match.

Each knows the database alone, and how our tools work. Most find nothing, as every query does where
the gold returns no row; what stands beside the condition is meant to make the text too large, too
deep, too slow or too unsteady to be tried on other data. The others fail, in ways that look like
the fault of the engine, the gold or the toolkit, or abstain in disguise. A metric should pay none
of them more than ``ex`` pays for finding nothing, and leave none of them out.

A padding dresses a wrong answer, to see whether a metric then leaves it out or forgives it. What
needs review is no part of a score. A system that is unsure could therefore win by making its
answers look open: with columns beside them, in another form, or in a text that a tool cannot
follow. Each padding keeps what the wrong query says; a metric should still call it wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from gaming_strategies import Target, Writer, text_column
from sqlverdict.dialects import DEFAULT_DIALECT
from sqlverdict.files.sqlite import quote_name
from sqlverdict.records import Case

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


Padding = Callable[[Target, str], str]

_LIMIT = re.compile(r"\s+limit\s+\d+\s*\Z", re.IGNORECASE)


def _around(select: str, behind: str = "") -> Padding:
    """The query in a WITH; ``{all}`` stands for its columns, ``{first}`` for the first of them."""

    def write(target: Target, sql: str) -> str:
        names = target.column_names(sql)
        if not names:
            return sql
        joined = " || ' ' || ".join(names)
        cells = select.format(all=", ".join(names), first=names[0], joined=joined)
        nulls, ones = (", ".join([each] * len(names)) for each in ("NULL", "1"))
        end = behind.format(first=names[0], nulls=nulls, ones=ones)
        return f"WITH w({', '.join(names)}) AS ({_bare(sql)}) SELECT {cells} FROM w{end}"

    return write


def _bare(sql: str) -> str:
    return sql.strip().rstrip(";")


def _each_cell(cell: str) -> Padding:
    def write(target: Target, sql: str) -> str:
        names = target.column_names(sql)
        if not names:
            return sql
        cells = ", ".join(cell.format(c=name) for name in names)
        return f"WITH w({', '.join(names)}) AS ({_bare(sql)}) SELECT {cells} FROM w"

    return write


def _beside(target: Target, sql: str) -> str:
    """One more column, from the table that stands first."""
    cell = (
        f"(SELECT {quote_name(target.first.columns[0].name)} FROM {quote_name(target.first.name)})"
    )
    return _around("{all}, " + cell)(target, sql)


def _row_of_table(target: Target, sql: str) -> str:
    """One more row, from the table that stands first."""
    cell, width = quote_name(target.first.columns[0].name), len(target.column_names(sql))
    row = f"SELECT {', '.join([cell] * width)} FROM {quote_name(target.first.name)} LIMIT 1"
    return _around("{all}", f" UNION ALL SELECT * FROM ({row})")(target, sql)


def _whole_rows(target: Target, sql: str) -> str:
    """All columns of the query's tables behind its own, where it has rows and no groups."""
    del target
    return _with_columns(sql, None)


def _two_columns(target: Target, sql: str) -> str:
    """Two more columns of the table that the query reads first, where it has no groups."""
    return _with_columns(sql, target)


def _with_columns(sql: str, target: Target | None) -> str:
    from sqlglot import exp

    from sqlverdict.parse.query import parse
    from sqlverdict.records import ParseFailure

    query = parse(sql)
    if isinstance(query, ParseFailure) or not isinstance(query.tree, exp.Select):
        return sql
    tree = query.tree.copy()
    table = tree.find(exp.Table)
    grouped = tree.args.get("group") or tree.args.get("distinct")
    if table is None or grouped or any(item.find(exp.AggFunc) for item in tree.expressions):
        return sql
    if target is None:
        tree.append("expressions", exp.Star())
        return tree.sql(DEFAULT_DIALECT)
    known = [each for each in target.schema.tables if each.name.lower() == table.name.lower()]
    for column in known[0].columns[:2] if known else ():
        tree.append("expressions", exp.column(column.name, table.alias_or_name, quoted=True))
    return tree.sql(DEFAULT_DIALECT)


def _without_limit(target: Target, sql: str) -> str:
    del target
    return _LIMIT.sub("", _bare(sql))


def _text_behind(text: str) -> Padding:
    return lambda _, sql: f"{_bare(sql)}{text}"


PADDINGS: Mapping[str, Padding] = {
    "constant_beside": _around("{all}, 1"),
    "column_beside": _beside,
    "two_columns": _two_columns,
    "whole_rows": _whole_rows,
    "twice": _around("{all}", " UNION ALL SELECT * FROM w"),
    "distinct": _around("DISTINCT {all}"),
    "sorted": _around("{all}", " ORDER BY 1"),
    "reversed": _around("{all}", " ORDER BY 1 DESC"),
    "one_row": _around("{all}", " LIMIT 1"),
    "best_row": _around("{all}", " ORDER BY {first} LIMIT 1"),
    "without_limit": _without_limit,
    "one_text": _around("{joined}"),
    "as_text": _each_cell("CAST({c} AS TEXT)"),
    "rounded": _each_cell("CASE WHEN typeof({c}) = 'real' THEN round({c}) ELSE {c} END"),
    "in_percent": _each_cell("CASE WHEN typeof({c}) = 'real' THEN {c} * 100 ELSE {c} END"),
    "yes_or_no": _around("CASE WHEN count(*) THEN 'yes' ELSE 'no' END"),
    "number_of": _around("count(*)"),
    "sum_of": _around("sum({first})"),
    "null_row": _around("{all}", " UNION ALL SELECT {nulls}"),
    "value_row": _around("{all}", " UNION ALL SELECT {ones}"),
    "row_of_table": _row_of_table,
    "chance_order": _around("{all}", " ORDER BY random()"),
    "chance_beside": _around("{all}, random()"),
    "now_beside": _around("{all}, datetime('now')"),
    "broken_text_beside": _around("{all}, CAST(x'ff' AS TEXT)"),
    "infinite_beside": _around("{all}, 9e999"),
    "open_comment": _text_behind(" /* "),
    "many_conditions": _around("{all}", " WHERE 1" + " AND 1" * 984),
}
"""Paddings of a query, by name."""
