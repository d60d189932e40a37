"""What a query says about the order of its rows, and the probe that finds ties.

An ORDER BY leaves rows with equal keys in any order, and a LIMIT that cuts through such
rows leaves open which of them come back. To see that, run the query without its LIMIT and
with its sort keys in view: :func:`tie_probe` writes that query.

Limits: a column *declared* ``COLLATE NOCASE`` or ``RTRIM`` sorts under that collation, and
the query's text does not show it; such keys look apart to the probe where the engine ties
them. A collation written in the query is honoured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.clauses import Clauses, outer_clauses
from sqlverdict.parse.inner_order import inner_probe, rank_probe, takes_inner_order
from sqlverdict.parse.tokens import Kind, first_statement, fold, has_word, kind, normalised, solid
from sqlverdict.records import Query, Row

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

# Collations compare texts only: 1 and '1' stay apart.
_FOLDS = {
    "binary": "{0}",
    "nocase": "CASE typeof({0}) WHEN 'text' THEN lower({0}) ELSE {0} END",
    "rtrim": "CASE typeof({0}) WHEN 'text' THEN rtrim({0}) ELSE {0} END",
}


@dataclass(frozen=True)
class Ordering:
    """What the outermost query says about order.

    Attributes:
        ordered: It has an ORDER BY. One in a subquery of the FROM clause does not count: it
            says which rows a LIMIT takes (see ``inner_order.py``), not how all of them come.
        limited: It has a LIMIT that can bite; a negative one is none in SQLite.
        limit: The LIMIT where it is a plain number.
        offset: The OFFSET where it is a plain number.
        unknown_offset: It has an OFFSET that is not a plain number.
    """

    ordered: bool
    limited: bool
    limit: int | None = None
    offset: int | None = None
    unknown_offset: bool = False


@dataclass(frozen=True)
class TieProbe:
    """A query without its LIMIT whose rows show their sort keys.

    Attributes:
        sql: The probe.
        keys: How many sort keys stand behind the original columns. Where it is not 0,
            ``key_columns`` is empty.
        key_columns: Which of the original columns are the sort keys, from 0, in order.

    With neither, nothing orders the query's rows and all of them tie.
    """

    sql: str
    keys: int = 0
    key_columns: tuple[int, ...] = ()

    def split(self, row: Row) -> tuple[Row, Row]:
        """A row of the probe as the original query's row and its sort key."""
        if self.keys:
            return row[: -self.keys], row[-self.keys :]
        return row, tuple(row[at] for at in self.key_columns)

    def split_all(self, rows: list[Row]) -> tuple[list[Row], list[Row]]:
        """The rows of the probe as the original query's rows, and their sort keys."""
        if self.keys:
            return [row[: -self.keys] for row in rows], [row[-self.keys :] for row in rows]
        if len(self.key_columns) == 1:
            (only,) = self.key_columns
            return rows, [(row[only],) for row in rows]
        return rows, [self.split(row)[1] for row in rows]


def ordering(query: Query) -> Ordering:
    """What the outermost query says about the order and number of its rows."""
    from sqlglot import exp

    tree = query.tree
    while isinstance(tree, exp.Subquery) and not _has_clauses(tree):
        tree = tree.this
    limit, offset = tree.args.get("limit"), tree.args.get("offset")
    count = _integer(limit)
    limited = limit is not None and (count is None or count >= 0)
    return Ordering(
        ordered=tree.args.get("order") is not None,
        limited=limited,
        limit=count if limited else None,
        offset=_integer(offset),
        unknown_offset=offset is not None and _integer(offset) is None,
    )


def tie_probe(query: Query) -> TieProbe | None:
    """The query without LIMIT and OFFSET, with its sort keys in view.

    Two rows of the probe have equal keys exactly where the ORDER BY leaves their order
    open. Where the query has none and takes its rows from an ordered query inside, the inner
    ORDER BY is meant. None where no such query can be written: the keys of a DISTINCT or a set
    operation that are no output columns, and keys by chance. Other engines than SQLite rank the
    rows themselves (see ``inner_order.py``).

    The probe may still fail to run, where a key's expression uses an alias; it never runs
    with other keys than the query's.
    """
    from sqlglot import exp

    if not dialect_of(query.dialect).plain_tokens:
        ranked = rank_probe(query)
        return None if ranked is None else TieProbe(*ranked)
    sql = first_statement(query.sql)
    if isinstance(query.tree, exp.Values):
        return TieProbe(sql)
    clauses = outer_clauses(sql)
    if clauses is None or not _agree(clauses, query.tree) or _by_chance(sql):
        return None
    if not clauses.keys and takes_inner_order(query.tree):
        probe = None if _hidden_collation(query.tree) else inner_probe(query.tree)
        return TieProbe(probe[0], keys=probe[1]) if probe is not None else None
    if clauses.keys and _hidden_collation(query.tree):
        return None
    by_name = has_word(sql, "natural") or has_word(sql, "using")
    return probe_of(clauses, _columns(clauses, query.tree), by_name=by_name)


@dataclass(frozen=True)
class OutputColumn:
    """An output column: its expression's text, its alias, whether it is a star."""

    text: str
    alias: str | None
    star: bool


def probe_of(
    clauses: Clauses, columns: Sequence[OutputColumn], *, by_name: bool
) -> TieProbe | None:
    """The probe of a query in pieces; ``by_name``: it has a NATURAL or USING join."""
    unlimited = f"{clauses.head} {clauses.body}".rstrip()
    if not clauses.keys:
        return TieProbe(unlimited)
    keys = [_resolve(key, columns, by_name) for key in clauses.keys]
    positions = [key.position for key in keys if key.position is not None]
    if len(positions) == len(keys):
        return TieProbe(f"{unlimited} {clauses.order}", key_columns=tuple(positions))
    texts = [key.text for key in keys if key.text is not None]
    if clauses.distinct or clauses.compound or len(texts) < len(keys):
        return None
    probe = f"{clauses.head}, {', '.join(texts)} {clauses.body} {clauses.order}"
    return TieProbe(probe, keys=len(texts))


@dataclass(frozen=True)
class _Key:
    """A sort key: its position among the output columns and its text, where known."""

    position: int | None
    text: str | None


def _columns(clauses: Clauses, tree: Expr) -> list[OutputColumn]:
    from sqlglot import exp

    columns = []
    for output, node in zip(clauses.columns, _first_select(tree).expressions, strict=True):
        text, alias = output, None
        if isinstance(node, exp.Alias):
            words = solid(output)
            alias = fold(unquoted(words[-1]))
            text = output[: output.rindex(words[-1])].rstrip()
            if len(words) > 2 and words[-2].lower() == "as":
                text = text[:-2].rstrip()
        columns.append(OutputColumn(text, alias, node.is_star))
    return columns


def _resolve(key: str, columns: Sequence[OutputColumn], by_name: bool) -> _Key:
    """What a sort key is, as SQLite reads it; ``by_name``: there is a NATURAL or USING join."""
    words = solid(key)
    if len(words) > 2 and words[-2].lower() == "collate":
        base = key[: fold(key).rindex("collate")].rstrip()
        template = _FOLDS.get(fold(unquoted(words[-1])))
        inner = _resolve(base, columns, by_name)
        if template is None or inner.text is None:
            return _Key(None, None)
        return _Key(None, template.format(inner.text))
    if len(words) == 1 and words[0].isdecimal():
        position = int(words[0]) - 1
        plain = position < len(columns) and not any(c.star for c in columns[: position + 1])
        return _Key(position, columns[position].text if plain else None)
    at = _same_column(words, columns, by_name)
    if at is not None:
        before_star = not any(column.star for column in columns[:at])
        return _Key(at if before_star else None, columns[at].text)
    # Inside an expression, an alias is not visible among the output columns: a bare word
    # then fails to run, but a double-quoted one would silently become a string.
    quoted = {fold(unquoted(word)) for word in words if kind(word) is Kind.QUOTED}
    return _Key(None, None if quoted & {column.alias for column in columns} else key)


def _same_column(words: list[str], columns: Sequence[OutputColumn], by_name: bool) -> int | None:
    """The output column with this alias, or this expression."""
    if len(words) == 1 and kind(words[0]) in (Kind.WORD, Kind.QUOTED):
        name = fold(unquoted(words[0]))
        for at, column in enumerate(columns):
            if column.alias == name:
                return at
    text, name_wanted = normalised(" ".join(words)), _column_name(words)
    for at, column in enumerate(columns):
        if normalised(column.text) == text:
            return at
        # "x" and "t.x" in one valid query mean one column, unless a join by name merges
        # two columns into "x".
        others = solid(column.text)
        same_name = name_wanted is not None and _column_name(others) == name_wanted
        if same_name and not by_name and len(words) != len(others):
            return at
    return None


def _column_name(words: Sequence[str]) -> str | None:
    """The folded name of a plain column, qualified or not."""
    plain = len(words) == 1 or (len(words) == 3 and words[1] == ".")
    if plain and all(kind(word) in (Kind.WORD, Kind.QUOTED) for word in words[::2]):
        return fold(unquoted(words[-1]))
    return None


def unquoted(word: str) -> str:
    """A name without its quotes."""
    if word[0] == "[":
        return word[1:-1]
    if word[0] in "\"'`":
        return word[1:-1].replace(word[0] * 2, word[0])
    return word


def _first_select(tree: Expr) -> Expr:
    from sqlglot import exp

    while isinstance(tree, exp.SetOperation):
        tree = tree.this
    return tree


def _agree(clauses: Clauses, tree: Expr) -> bool:
    """Whether the clauses that were cut from the text and the tree say the same."""
    from sqlglot import exp

    first, order = _first_select(tree), tree.args.get("order")
    return (
        clauses.compound == isinstance(tree, exp.SetOperation)
        and isinstance(first, exp.Select)
        and clauses.distinct == (first.args.get("distinct") is not None)
        and clauses.limited == (tree.args.get("limit") is not None)
        and len(clauses.columns) == len(first.expressions)
        and len(clauses.keys) == (len(order.expressions) if order else 0)
    )


def _by_chance(sql: str) -> bool:
    words = solid(sql.lower())
    return any(
        word in ("random", "randomblob") and words[at + 1 : at + 2] == ["("]
        for at, word in enumerate(words)
    )


def _hidden_collation(tree: Expr) -> bool:
    """Whether a COLLATE might reach the sort keys other than at the end of one of them.

    A collation travels with an expression out of subqueries; only those of the outer WHERE
    stay where they are.
    """
    from sqlglot import exp

    for node in tree.find_all(exp.Collate):
        ordered = node.parent
        if isinstance(ordered, exp.Ordered) and ordered.parent is tree.args.get("order"):
            continue
        where = node.find_ancestor(exp.Where)
        if where is None or where is not tree.args.get("where"):
            return True
    return False


def _has_clauses(tree: Expr) -> bool:
    return any(tree.args.get(name) is not None for name in ("order", "limit", "offset"))


def _integer(clause: Expr | None) -> int | None:
    """The number of a LIMIT or OFFSET, where it is one."""
    from sqlglot import exp

    value = clause.expression if clause is not None else None
    negative = isinstance(value, exp.Neg)
    value = value.this if isinstance(value, exp.Neg) else value
    if isinstance(value, exp.Literal) and value.is_int:
        return -int(value.name) if negative else int(value.name)
    return None
