"""Which columns of an answer read no row of the database.

A column that is a literal, or is computed from literals alone, shows nothing: a query that
lists numbers holds every small count. Where a name could be a table's column it counts as
one; a column of a derived table is followed into it. Both arms of a set operation have to
read.

The columns of most queries are plainly those of tables, by their words alone. To load the parser
takes longer than to compare a benchmark, so words are read first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.tokens import fold, solid
from sqlverdict.records import ParseFailure

if TYPE_CHECKING:
    from sqlglot.expressions import Expr

_DEEPEST = 60
"""Queries nested deeper than this are not followed."""


class Outputs(NamedTuple):
    """Whether each output column reads, by index.

    Attributes:
        front: The columns before the first star over a table, or all.
        back: Those after the last such star; ``None`` where there is none.
        names: The same by name, as far as columns have one.
        reads: Whether the query reads a table at all.
    """

    front: tuple[bool, ...]
    back: tuple[bool, ...] | None
    names: Mapping[str, bool]
    reads: bool

    def reads_at(self, index: int, width: int) -> bool:
        """Whether the column at an index of an answer of that width reads."""
        if index < len(self.front):
            return self.front[index]
        behind = width - index
        if self.back is None:
            return False
        return self.back[-behind] if behind <= len(self.back) else self.reads


def constant_columns(sql: str, dialect: str, width: int) -> tuple[int, ...] | None:
    """The indexes of the columns that read nothing; ``None`` where the text cannot be followed.

    Args:
        sql: The query.
        dialect: Its dialect.
        width: How many columns its answer has.
    """
    if dialect_of(dialect).plain_tokens and width_of_names(sql) in (width, ANY_WIDTH):
        return ()
    outputs = _outputs_of(sql, dialect)
    if outputs is None or (outputs.back is None and len(outputs.front) != width):
        return None
    return tuple(index for index in range(width) if not outputs.reads_at(index, width))


@lru_cache(maxsize=256)
def _outputs_of(sql: str, dialect: str) -> Outputs | None:
    # The parser is slow to load; most comparisons need none.
    from sqlverdict.parse.query import parse

    query = parse(sql, dialect)
    if isinstance(query, ParseFailure):
        return None
    try:
        return _outputs(query.tree, {}, 0)
    except (_TooDeep, RecursionError):
        return None


class _TooDeep(Exception):
    """The query is nested too deep to be followed."""


_Known = Mapping[str, "Outputs | None"]
"""Named sources; ``None`` stands for a table."""


def _outputs(node: Expr, known: _Known, depth: int) -> Outputs:
    from sqlglot import exp

    if depth > _DEEPEST:
        raise _TooDeep
    known = {**known, **_with(node, known, depth)}
    if isinstance(node, exp.Subquery):
        return _outputs(node.this, known, depth + 1)
    if isinstance(node, exp.SetOperation):
        return _both(_outputs(node.left, known, depth + 1), _outputs(node.right, known, depth + 1))
    if isinstance(node, exp.Select):
        return _select(node, known, depth)
    if isinstance(node, exp.Values):
        rows = node.expressions
        width = len(rows[0].expressions) if rows and isinstance(rows[0], exp.Tuple) else 1
        return Outputs((False,) * width, None, {}, reads=False)
    raise _TooDeep


def _with(node: Expr, known: _Known, depth: int) -> dict[str, Outputs | None]:
    from sqlglot import exp

    tables: dict[str, Outputs | None] = {}
    clause = node.args.get("with_") or node.args.get("with")
    for table in clause.expressions if isinstance(clause, exp.With) else ():
        name = table.alias.lower()
        # What a recursive query says of itself adds nothing: it reads where its start does.
        itself = Outputs((), (), {}, reads=True)
        inner = _outputs(table.this, {**known, **tables, name: itself}, depth + 1)
        if isinstance(table.this, exp.SetOperation) and _names(table.this, name):
            inner = _outputs(table.this.left, {**known, **tables}, depth + 1)
        tables[name] = _renamed(inner, table.args.get("alias"))
    return tables


def _names(node: Expr, name: str) -> bool:
    from sqlglot import exp

    return any(table.name.lower() == name for table in node.find_all(exp.Table))


def _renamed(outputs: Outputs, alias: Any) -> Outputs:
    columns = [] if alias is None else alias.args.get("columns") or []
    names = dict(outputs.names)
    for index, column in enumerate(columns):
        names[column.name.lower()] = outputs.reads_at(index, len(columns))
    return outputs._replace(names=names)


def _both(left: Outputs, right: Outputs) -> Outputs:
    if left.back is not None or right.back is not None:
        names = {name: left.names[name] for name in left.names}
        return Outputs((), (), names, left.reads and right.reads)
    front = tuple(a and b for a, b in zip(left.front, right.front, strict=False))
    names = dict(zip(left.names, front, strict=False)) if len(left.names) == len(front) else {}
    return Outputs(front, None, names, left.reads and right.reads)


def _select(node: Any, known: _Known, depth: int) -> Outputs:
    from sqlglot import exp

    sources = _sources(node, known, depth)
    reads = any(source is None or source.reads for source in sources.values())
    front: list[bool] = []
    back: list[bool] | None = None
    names: dict[str, bool] = {}
    for item in node.expressions:
        inner = item.this if isinstance(item, exp.Alias) else item
        if isinstance(inner, exp.Star) or (
            isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star)
        ):
            table = inner.table.lower() if isinstance(inner, exp.Column) else ""
            starred = [s for name, s in sources.items() if not table or name == table]
            flat = _flat(starred)
            for source in starred:
                names.update(source.names if source is not None else {})
            if flat is None:
                back = []
                continue
            columns = list(flat)
        else:
            columns = [_reads(inner, sources, known, reads, depth)]
            names[item.alias_or_name.lower()] = columns[0]
        (front if back is None else back).extend(columns)
    return Outputs(tuple(front), None if back is None else tuple(back), names, reads)


def _flat(sources: list[Outputs | None]) -> tuple[bool, ...] | None:
    """The columns of a star; ``None`` where it stands for a table's, whose number is unknown."""
    columns: list[tuple[bool, ...]] = []
    for source in sources:
        if source is None or source.back is not None:
            return None
        columns.append(source.front)
    return tuple(chain.from_iterable(columns))


def _sources(node: Any, known: _Known, depth: int) -> dict[str, Outputs | None]:
    from sqlglot import exp

    sources: dict[str, Outputs | None] = {}
    start = node.args.get("from_") or node.args.get("from")
    parts = [] if start is None else [start.this]
    parts += [join.this for join in node.args.get("joins") or ()]
    while parts:
        part = parts.pop()
        parts += [join.this for join in part.args.get("joins") or ()]
        name = part.alias_or_name.lower()
        if isinstance(part, exp.Table) and not isinstance(part.this, exp.Identifier):
            # A table-valued function reads what its arguments read.
            sources[name or str(len(sources))] = Outputs(
                (), (), {}, reads=part.find(exp.Column) is not None
            )
        elif isinstance(part, exp.Table):
            sources[name] = known.get(part.name.lower()) if not part.db else None
        elif isinstance(part, exp.Subquery) and isinstance(part.this, exp.Table):
            parts.append(part.this)
        elif isinstance(part, exp.Subquery | exp.Values):
            sources[name or str(len(sources))] = _renamed(
                _outputs(part, known, depth + 1), part.args.get("alias")
            )
        else:
            raise _TooDeep
    return sources


def _reads(
    node: Expr, sources: Mapping[str, Outputs | None], known: _Known, rows: bool, depth: int
) -> bool:
    """Whether an expression's value comes from rows; ``rows``: its sources have some."""
    from sqlglot import exp

    if depth > _DEEPEST:
        raise _TooDeep
    if isinstance(node, exp.Column):
        return _column_reads(node, sources)
    if isinstance(node, exp.Query):
        outputs = _outputs(node, known, depth + 1)
        return outputs.reads if outputs.back is not None else all(outputs.front)
    if isinstance(node, exp.Exists):
        return _outputs(node.this, known, depth + 1).reads
    if isinstance(node, exp.Count | exp.Sum | exp.Window):
        # The number of rows shows in them, whatever they add up.
        return rows
    return any(_reads(part, sources, known, rows, depth + 1) for part in node.iter_expressions())


def _column_reads(column: Any, sources: Mapping[str, Outputs | None]) -> bool:
    name, table = column.name.lower(), column.table.lower()
    if table:
        source = sources.get(table)
        return source is None or source.names.get(name, source.reads)
    for source in sources.values():
        if source is not None and name in source.names:
            return source.names[name]
    # No source at all: a name in a subquery is one of the query around it, unless quoted text.
    return not sources or any(source is None or source.reads for source in sources.values())


ANY_WIDTH = -1
"""The query has a star: its answer may have any number of columns."""

_COMBINE = frozenset({"union", "intersect", "except"})
_AGGREGATES = frozenset({"avg", "count", "max", "min", "sum"})
_BEHIND_SOURCES = frozenset({"where", "group", "having", "window", "order", "limit"})
_NO_NAMES = frozenset({"null", "true", "false", "case", "not", "exists", "cast", "select"})
_NO_NAMES_START = ("current", "local", "sys")
"""Words that some readers take for functions, such as CURRENT_DATE."""


def width_of_names(sql: str) -> int | None:
    """The number of a SQLite query's columns, where all are names, or aggregates of names.

    All arms of a set operation have to be like that.
    ``None`` where words alone do not tell: the query may then have columns of any kind.
    """
    words = solid(fold(sql))
    while words and words[-1] == ";":
        words.pop()
    arms = [words] if _COMBINE.isdisjoint(words) else _arms(words)
    widths = set(map(_arm_width, arms))
    if None in widths or (len(widths) > 1 and ANY_WIDTH not in widths):
        return None
    return ANY_WIDTH if ANY_WIDTH in widths else widths.pop()


def _arms(words: list[str]) -> list[list[str]]:
    """The parts that set operations combine; what stands in parentheses may hold others."""
    arms: list[list[str]] = []
    depth = start = 0
    for index, word in enumerate(words):
        depth += (word == "(") - (word == ")")
        if word in _COMBINE and depth <= 0:
            arms.append(words[start:index])
            start = index + (2 if words[index + 1 : index + 2] == ["all"] else 1)
    return [*arms, words[start:]]


def _arm_width(words: list[str]) -> int | None:
    """The number of columns of one SELECT, as :func:`width_of_names` tells it."""
    if not words or words[0] != "select" or "from" not in words or ";" in words:
        return None
    if not _reads_tables(words, words.index("from") + 1):
        return None
    start = 2 if words[1] == "distinct" else 1
    items: list[list[str]] = [[]]
    depth = 0
    for word in words[start : words.index("from")]:
        depth += (word == "(") - (word == ")")
        if word == "," and not depth:
            items.append([])
        else:
            items[-1].append(word)
    if not all(map(_is_read, items)):
        return None
    return ANY_WIDTH if any(item[-1] == "*" for item in items) else len(items)


def _reads_tables(words: Sequence[str], start: int) -> bool:
    """Whether all that a query reads are tables: names without parentheses."""
    for word in words[start:]:
        if word in _BEHIND_SOURCES:
            return True
        if word == "(":
            return False
    return start < len(words)


def _is_read(item: list[str]) -> bool:
    """Whether an item of the list is a name, a star or an aggregate of either."""
    if len(item) > 2 and item[-2] == "as" and _is_name(item[-1]):
        item = item[:-2]
    if len(item) > 3 and item[0] in _AGGREGATES and item[1] == "(" and item[-1] == ")":
        item = item[3:-1] if item[2] == "distinct" else item[2:-1]
    match item:
        case [one]:
            return one == "*" or _is_name(one)
        case [table, ".", column]:
            # Behind a dot there are no functions: t.current_address is a column.
            return _is_name(table) and (column == "*" or _is_word(column))
    return False


def _is_name(word: str) -> bool:
    """Whether a word can only be a name: quoted ones may be texts."""
    reserved = word in _NO_NAMES or word.startswith(_NO_NAMES_START)
    return _is_word(word) and not reserved


def _is_word(word: str) -> bool:
    return word.isascii() and word.isidentifier()
