"""Which column a name means in dialects other than SQLite's, and in NATURAL and USING.

The dialects agree on most of it: a name means a column of the innermost query around it that has
one. They differ on whether an alias of the SELECT list is seen, and whether it goes before a
column of that name. Where two readings are possible, the query is refused.

NATURAL and USING join by the names that two sides share, in every dialect.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.shape import all_of, column_name
from sqlverdict.prove.resolve.scope import NAMELESS, Scope, Source, Unsupported, resolved

_SYSTEM_COLUMNS = frozenset(
    ("rowid", "oid", "_rowid_", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid", "filename")
)
"""Columns that tables have without saying so, in one engine or another."""
_TYPE_NAMES = frozenset(("int2", "int4", "int8", "float4", "float8", "numeric", "text", "varchar"))
"""PostgreSQL's names for the types of a CAST."""
_NUMBERED = re.compile(r"c\d+")


def visible_aliases(
    clause: str, term: Expr, aliases: Mapping[str, Expr], dialect: str
) -> Mapping[str, Expr]:
    """The aliases that a condition or a term of a clause can mean."""
    if clause in dialect_of(dialect).alias_clauses:
        return aliases
    plain = isinstance(term, exp.Column) and clause == "group"
    return aliases if plain else {}


def require_plain_windows(tree: Expr, dialect: str) -> None:
    """Refuse a name behind OVER that is an alias of something else than the column of that name.

    MariaDB orders ``-v AS v, RANK() OVER (ORDER BY v)`` by the alias; other dialects see none here.

    Raises:
        Unsupported: there is such a name.
    """
    if "window" not in dialect_of(dialect).alias_clauses:
        return
    for select in tree.find_all(exp.Select):
        aliases = {
            fold(item.alias)
            for item in select.expressions
            if isinstance(item, exp.Alias)
            and not (isinstance(item.this, exp.Column) and fold(item.this.name) == fold(item.alias))
        }
        for window in select.find_all(exp.Window) if aliases else ():
            order = window.args.get("order")
            terms = [*(window.args.get("partition_by") or ()), *([order] if order else ())]
            for column in (column for term in terms for column in term.find_all(exp.Column)):
                if not column.table and fold(column.name) in aliases:
                    raise Unsupported(f"{column.name} behind OVER may be an alias")


def require_different_names(names: Sequence[str]) -> None:
    """Refuse a derived table with two columns of one name.

    Raises:
        Unsupported: which of them the name means depends on the dialect.
    """
    plain = [fold(name) for name in names if name != NAMELESS]
    if len(set(plain)) < len(plain):
        raise Unsupported("a derived table with two columns of one name")


def require_single_output(name: str, names: Sequence[str], outputs: Sequence[Expr]) -> None:
    """Refuse an alias in ORDER BY that several columns of the SELECT list have.

    Raises:
        Unsupported: they are not the same column, or an unnamed call may have this name.
    """
    folded = fold(name)
    readings = {
        str(output.sql()) for own, output in zip(names, outputs, strict=True) if fold(own) == folded
    }
    if len(readings) > 1:
        raise Unsupported(f"several columns are called {name}")
    for own, output in zip(names, outputs, strict=True):
        if own == NAMELESS and _may_be_called(output, folded, known=bool(readings)):
            raise Unsupported(f"{name} may be the name of a column without an alias")


def _may_be_called(node: Expr, name: str, known: bool) -> bool:
    """Whether a dialect may give a column without an alias this name.

    PostgreSQL calls COUNT(*) count, and a CASE case or as its ELSE is called; a CAST is called as
    its operand or its type, a query for one value as its column.

    Args:
        node: The column.
        name: The name.
        known: Whether another column has this name for sure: two of them would be an error.
    """
    match node:
        case exp.Column():
            # A column of a derived table has lost its name.
            return node.name == name or (_NUMBERED.fullmatch(node.name) is not None and not known)
        case exp.Subquery():
            return not known
        case exp.Cast() if name in _TYPE_NAMES or name in node.to.sql().lower():
            return True
        case exp.Cast():
            return _may_be_called(node.this, name, known)
        case exp.Case() if node.args.get("default") is not None:
            return name == node.key or _may_be_called(node.args["default"], name, known)
    return name in (node.key, *_spellings(node))


def _spellings(node: Expr) -> Sequence[str]:
    return [name.lower() for name in node.sql_names()] if isinstance(node, exp.Func) else ()


def standard_column(node: exp.Column, scope: Scope, aliases: Mapping[str, Expr]) -> Expr:
    """What a column reference means.

    Raises:
        Unsupported: nothing, or dialects may disagree.
    """
    name = fold(node.name)
    alias = aliases.get(name) if not node.table else None
    around: Scope | None = scope
    while around is not None:
        target = _find(node, name, around)
        if target is not None:
            if alias is not None and not _is_column(alias, target):
                raise Unsupported(f"{node.name} is a column and an alias")
            return resolved(*target)
        around = around.outer
    if alias is None:
        raise Unsupported(f"there is no column {node.name}")
    return alias.copy()


def _is_column(alias: Expr, target: tuple[str, str]) -> bool:
    return isinstance(alias, exp.Column) and column_name(alias) == target


def _find(node: exp.Column, name: str, scope: Scope) -> tuple[str, str] | None:
    target = scope.find_here(node.name, node.table)
    if target is not None:
        return target
    if node.table:
        if any(source.name == fold(node.table) for source in scope.sources):
            raise Unsupported(f"{node.table} has no column {node.name}")
        return None
    if any(source.name == name for source in scope.sources):
        raise Unsupported(f"{node.name} may stand for a whole row")
    if scope.sources and name in _SYSTEM_COLUMNS:
        raise Unsupported(f"{node.name} may be a system column")
    if any(source.has_nameless for source in scope.sources):
        raise Unsupported(f"{node.name} may be a column without an alias")
    return None


def join_by_names(
    join: exp.Join, before: Sequence[Source], scope: Scope, padded: bool, dialect: str
) -> bool:
    """Turn NATURAL and USING into ON, over resolved columns.

    Args:
        join: The join; its source is the last one of the scope.
        before: The sources before it.
        scope: Where the columns that are one from now on are noted.
        padded: Whether a RIGHT or FULL JOIN stands up to here.
        dialect: The dialect of the query.

    Returns:
        Whether there were names to join by.

    Raises:
        Unsupported: which columns are meant is not certain.
    """
    right = scope.sources[-1]
    using = [fold(name.name) for name in join.args.get("using") or ()]
    if (join.args.get("method") or "").upper() == "NATURAL":
        if any(source.has_nameless for source in scope.sources):
            raise Unsupported("NATURAL JOIN over columns without a plain name")
        names = {name for source in before for name, _ in source.starred}
        using = [name for name, _ in right.starred if name in names]
        if not using and "natural_product" in dialect_of(dialect).refusals:
            raise Unsupported("NATURAL JOIN without common names in this dialect")
    elif join.args.get("method"):
        raise Unsupported(f"{join.args['method']} JOIN")
    if not using:
        join.set("method", None)
        return False
    if padded:
        # SQLite then takes the first of several columns that is not NULL.
        raise Unsupported("USING with RIGHT or FULL JOIN")
    conditions: list[Expr] = []
    for name in using:
        left = next((s for s in before if name in s.columns), None)
        if left is None or name not in right.columns:
            raise Unsupported(f"USING ({name})")
        left_column = scope.merged.setdefault(name, (left.label, left.columns[name]))
        ours = resolved(*left_column)
        theirs = resolved(right.label, right.columns[name])
        scope.hidden.add((right.label, right.columns[name]))
        conditions.append(exp.EQ(this=ours, expression=theirs))
    join.set("using", None)
    join.set("method", None)
    join.set("on", all_of(conditions))
    return True
