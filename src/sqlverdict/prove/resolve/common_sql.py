"""The part of SQL that is read in dialects other than SQLite's: a list of what is known.

For SQLite our reading of a text is compared with SQLite's own (see ``fidelity.py``). Here it is
right by construction: a parsed tree may hold only the nodes and arguments below, whose meaning is
the same in every dialect that has them, and an operator stands beside another one without
parentheses only where all parsers bind the two alike. Everything else is refused, be it as common
as CAST: what is refused costs a proof and nothing more.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import dialect_of
from sqlverdict.execute.common_text import UNKNOWN_FUNCTION
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.tokens import Kind, fold, kind, pieces
from sqlverdict.prove.reasoning.inner_order import ROW_TEXTS
from sqlverdict.prove.reasoning.shape import COMPARISONS
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.records import Query

_PARTS: dict[type[Expr], str] = {
    exp.Select: "expressions from_ joins where group having order limit offset distinct with_",
    exp.Union: "this expression distinct order limit offset with_",
    exp.Except: "this expression distinct order limit offset with_",
    exp.Intersect: "this expression distinct order limit offset with_",
    exp.Subquery: "this alias",
    exp.With: "expressions",
    exp.CTE: "this alias",
    exp.Table: "this alias",
    exp.TableAlias: "this columns",
    exp.Identifier: "this quoted",
    exp.Column: "this table",
    exp.Star: "",
    exp.Alias: "this alias",
    exp.From: "this",
    exp.Join: "this on side kind using method",
    exp.Where: "this",
    exp.Having: "this",
    exp.Group: "expressions",
    exp.Order: "this expressions",
    exp.Ordered: "this desc nulls_first",
    exp.Limit: "expression",
    exp.Offset: "expression",
    exp.Distinct: "expressions",
    exp.Paren: "this",
    exp.Literal: "this is_string",
    exp.Null: "",
    exp.Boolean: "this",
    exp.And: "this expression",
    exp.Or: "this expression",
    exp.Not: "this",
    exp.Neg: "this",
    exp.Add: "this expression",
    exp.Sub: "this expression",
    exp.Mul: "this expression",
    exp.Div: "this expression typed safe",
    **dict.fromkeys(COMPARISONS, "this expression"),
    exp.Is: "this expression",
    **dict.fromkeys((exp.NullSafeEQ, exp.NullSafeNEQ), "this expression"),
    exp.In: "this expressions query",
    exp.Between: "this low high",
    exp.Like: "this expression negate",
    exp.Exists: "this",
    exp.Case: "this ifs default",
    exp.If: "this true false",
    exp.Coalesce: "this expressions",
    exp.Nullif: "this expression",
    exp.Cast: "this to _type",
    exp.DataType: "this nested",
    **dict.fromkeys((exp.Date, exp.TsOrDsToDate, exp.Year), "this"),
    exp.Extract: "this expression",
    exp.Var: "this",
    exp.Count: "this big_int",
    exp.Sum: "this",
    exp.Avg: "this",
    exp.Min: "this",
    exp.Max: "this",
    exp.GroupConcat: "this separator",
    exp.ArrayAgg: "this",
    exp.AnyValue: "this",
    exp.Filter: "this expression",
    exp.Lower: "this",
    exp.Upper: "this",
    exp.Length: "this binary",
    exp.Abs: "this",
    exp.Substring: "this start length",
    exp.Anonymous: "this expressions",
    exp.Tuple: "expressions",
    exp.Window: "this partition_by order over",
    **dict.fromkeys((exp.RowNumber, exp.Rank, exp.DenseRank), ""),
}
"""The nodes that are read, each with the arguments that it may have."""

_ATOMS = (
    *(exp.Column, exp.Literal, exp.Null, exp.Boolean, exp.Paren, exp.Subquery, exp.Func),
    *(exp.Star, exp.Distinct, exp.Tuple, exp.Window),
)
_PREDICATE = 4
_LEVELS: dict[type[Expr], int] = {
    exp.Neg: 1,
    **dict.fromkeys((exp.Mul, exp.Div), 2),
    **dict.fromkeys((exp.Add, exp.Sub), 3),
    **dict.fromkeys((*COMPARISONS, exp.NullSafeEQ, exp.NullSafeNEQ), _PREDICATE),
    **dict.fromkeys((exp.Is, exp.In, exp.Between, exp.Like), _PREDICATE),
    exp.Not: 5,
    exp.And: 6,
    exp.Or: 7,
}
"""How loosely an operator binds; what is not listed stands for itself."""

_CASTS = (*(exp.DType.INT, exp.DType.BIGINT, exp.DType.DOUBLE, exp.DType.DECIMAL, exp.DType.TEXT),)
"""The types to which every number can be cast."""

_KINDS = frozenset({"", "INNER", "CROSS", "OUTER"})


def require_common_sql(query: Query, schema: Schema) -> None:
    """Refuse a parsed query in which a dialect may read something else than our parser does.

    Raises:
        Unsupported: it has a construct that is not on the list.
    """
    unsure = dialect_of(query.dialect).unsure_text
    if unsure is not None and unsure.search(query.sql):
        raise Unsupported("a comment or an escape that depends on the server's settings")
    open_escapes = "open_escapes" in dialect_of(query.dialect).refusals
    for node in query.tree.walk():
        _require_known(node)
        if open_escapes and isinstance(node, exp.Like) and not _has_closed_pattern(node):
            raise Unsupported("a pattern of LIKE that may end in an escape")
        if type(node) in _LEVELS:
            _require_plain_operands(node, query)
        elif isinstance(node, exp.SetOperation):
            _require_clear_sides(node)
        elif isinstance(node, exp.Select):
            _require_clear_joins(node, query.dialect)
        elif isinstance(node, exp.Filter):
            _require_filter_clause(node, query.dialect)
        elif isinstance(node, exp.Window):
            _require_plain_window(node)
        elif isinstance(node, exp.If) and not isinstance(node.parent, exp.Case):
            _require_if_function(query.dialect)
    if _has_quoted_type(query):
        raise Unsupported("a type in quotes, which may be a user's own")
    if "nulls_place" not in dialect_of(query.dialect).rules and "nulls" in _words(query.sql):
        raise Unsupported("nulls first or last in this dialect")
    _require_clear_names(query, schema)
    used = {fold(table.name) for table in query.tree.find_all(exp.Table)}
    if any(fold(cte.alias) not in used for cte in query.tree.find_all(exp.CTE)):
        raise Unsupported("a common table expression that is not used, and may not run")


def _has_closed_pattern(node: exp.Like) -> bool:
    pattern = node.expression
    return isinstance(pattern, exp.Literal) and not pattern.this.endswith("\\")


def _has_quoted_type(query: Query) -> bool:
    """Whether a CAST names a type in quotes, which our parser takes for the one without."""
    if query.tree.find(exp.Cast) is None:
        return False
    words = [word for word in pieces(query.sql) if kind(word) not in (Kind.SPACE, Kind.COMMENT)]
    in_cast: list[bool] = []
    for before, word, behind in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word == "(":
            in_cast.append(fold(before).endswith("cast"))
        elif word == ")" and in_cast:
            in_cast.pop()
        is_type = before == word == ":" or (fold(word) == "as" and bool(in_cast) and in_cast[-1])
        if is_type and kind(behind) is Kind.QUOTED:
            return True
    return False


def _require_known(node: Expr) -> None:
    known = _PARTS.get(type(node))
    if known is None:
        raise Unsupported(f"{node.key} in this dialect")
    odd = {name for name, value in node.args.items() if value} - set(known.split())
    if odd:
        raise Unsupported(f"{node.key} with {', '.join(sorted(odd))} in this dialect")
    match node:
        case exp.Limit() | exp.Offset():
            bound = node.expression
            if not isinstance(bound, exp.Literal) or bound.is_string or not bound.this.isdigit():
                raise Unsupported(f"{node.key} that is not a plain number")
        case exp.Order() if node.this is not None and not isinstance(node.parent, ROW_TEXTS):
            raise Unsupported("an order of something other than an aggregate's values")
        case exp.GroupConcat() if not isinstance(node.args.get("separator"), exp.Literal):
            raise Unsupported("texts of rows with a computed separator")
        case exp.Is() if not isinstance(node.expression, exp.Null | exp.Boolean):
            raise Unsupported("IS with something other than NULL, TRUE and FALSE")
        case exp.Distinct() if node.expressions and (
            len(node.expressions) != 1 or not isinstance(node.parent, exp.AggFunc | exp.Order)
        ):
            raise Unsupported("DISTINCT of several values")
        case exp.Subquery() if isinstance(node.this, exp.Subquery):
            # Around the operand of IN, PostgreSQL takes the second pair for a scalar's.
            raise Unsupported("a query in two pairs of parentheses")
        case exp.TableAlias() if node.args.get("columns") and not isinstance(node.parent, exp.CTE):
            raise Unsupported("column names behind an alias")
        case exp.Anonymous() if UNKNOWN_FUNCTION.fullmatch(str(node.this)) is None:
            raise Unsupported(f"the function {node.this}")
        case exp.Cast() if is_written_day(node):
            # Beside a column of days it is a text in quotes; elsewhere its type is refused.
            pass
        case exp.Cast() if node.args["to"].expressions or node.args["to"].this not in _CASTS:
            raise Unsupported("a CAST that may fail")
        case exp.In() if node.expressions and node.args.get("query"):
            raise Unsupported("IN with a list and a query")


def is_written_day(node: Expr) -> bool:
    """Whether it is a CAST of a text in quotes to a DATE."""
    text, target = node.this, node.args["to"]
    is_text = isinstance(text, exp.Literal) and bool(text.is_string)
    return is_text and target.this == exp.DType.DATE and not target.expressions


def _require_plain_operands(node: Expr, query: Query) -> None:
    """Every operand binds tighter, so that any order of precedence gives the same tree."""
    own = _LEVELS[type(node)]
    # What a spelling puts in (spellings.py) has parentheses within our parser's.
    beside: Expr | None = node.parent
    while isinstance(beside, exp.Paren):
        beside = beside.parent
    is_within = isinstance(node.parent, exp.Paren)
    is_beside = is_within and beside is not None and _LEVELS.get(type(beside)) == _PREDICATE
    if own >= _PREDICATE and is_beside and not _has_own_parentheses(node, query):
        # Our parser puts parentheses of its own around a predicate beside another one.
        raise Unsupported(f"{node.key} beside another condition, without parentheses")
    operands = [node.args.get(part) for part in ("this", "expression", "low", "high")]
    for number, operand in enumerate(operands):
        if operand is None or (isinstance(operand, _ATOMS) and type(operand) not in _LEVELS):
            continue
        level = _LEVELS.get(type(operand), own)
        chain = (number == 0 and own in (2, 3)) or own in (5, 6, 7)
        if level > own or (level == own and not chain):
            raise Unsupported(f"{operand.key} beside {node.key} without parentheses")


def _has_own_parentheses(node: Expr, query: Query) -> bool:
    """Whether the text has parentheses around an operand, wherever that is written."""
    operand = _words(node.sql(query.dialect))
    words = _words(query.sql)
    size = len(operand)
    places = [at for at in range(len(words)) if words[at : at + size] == operand]
    return bool(places) and all(
        at > 0 and words[at - 1] == "(" and words[at + size : at + size + 1] == [")"]
        for at in places
    )


def _words(sql: str) -> list[str]:
    return [fold(word) for word in pieces(sql) if kind(word) not in (Kind.SPACE, Kind.COMMENT)]


def _require_filter_clause(node: exp.Filter, dialect: str) -> None:
    if "filter_clause" not in dialect_of(dialect).rules or not isinstance(node.this, exp.AggFunc):
        raise Unsupported("filter in this dialect")


def _require_plain_window(node: exp.Window) -> None:
    if isinstance(node.this, exp.RowNumber) and not node.args.get("order"):
        raise Unsupported("ROW_NUMBER without an order")
    select = node.find_ancestor(exp.Select)
    part: Expr = node
    while part.parent is not None and part.parent is not select:
        part = part.parent
    parts = ("group", "having")
    if select is None or part.arg_key != "expressions" or any(map(select.args.get, parts)):
        raise Unsupported("a window of a query that groups, or outside of its columns")


def _require_if_function(dialect: str) -> None:
    if "if_function" not in dialect_of(dialect).rules:
        raise Unsupported("the function if")


def _require_clear_sides(node: exp.SetOperation) -> None:
    if not isinstance(node, exp.Union) and not node.args.get("distinct"):
        raise Unsupported(f"{node.key.upper()} ALL")
    if isinstance(node.this, exp.Select) and any(map(node.this.args.get, ("order", "limit"))):
        raise Unsupported("ORDER BY or LIMIT before a set operation without parentheses")
    if isinstance(node.expression, exp.SetOperation):
        raise Unsupported("a set operation on the right without parentheses")
    kinds = {type(node), type(node.this)}
    if isinstance(node.this, exp.SetOperation) and exp.Intersect in kinds and len(kinds) > 1:
        raise Unsupported("INTERSECT beside another set operation without parentheses")


def _require_clear_joins(select: exp.Select, dialect: str) -> None:
    joins = select.args.get("joins") or []
    for join in joins:
        if (join.kind or "").upper() not in _KINDS:
            raise Unsupported(f"{join.kind} JOIN")
        if join.side and not any(map(join.args.get, ("on", "using", "method"))):
            raise Unsupported(f"{join.side} JOIN without ON")
        if join.kind == "OUTER" and not join.side:
            raise Unsupported("OUTER JOIN without a side")
        if join.side == "FULL" and "full_join" not in dialect_of(dialect).rules:
            # To MySQL it is the alias of the table before it.
            raise Unsupported("FULL JOIN in this dialect")
    padded = any((join.side or "").upper() in ("RIGHT", "FULL") for join in joins)
    bare = any(not join.args.get("on") and not join.args.get("using") for join in joins)
    if padded and bare:
        # A comma binds looser than JOIN in these dialects, and not in our parser.
        raise Unsupported("RIGHT or FULL JOIN beside a comma or a NATURAL JOIN")


def _require_clear_names(query: Query, schema: Schema) -> None:
    """Two names that are one name to us are one name to the engine."""
    if dialect_of(query.dialect).names_case == "folded":
        return
    spelling: dict[str, str] = {}
    for name in _names_of(query, schema):
        if spelling.setdefault(fold(name), name) != name:
            raise Unsupported(f"{name} and {spelling[fold(name)]} may be two names")


def _names_of(query: Query, schema: Schema) -> Iterable[str]:
    """The names that must not differ in case alone, as the engine spells them."""
    quoted = dialect_of(query.dialect).names_case == "quoted"
    used = {fold(table.name) for table in query.tree.find_all(exp.Table)}
    for table in schema.tables:
        if fold(table.name) in used:
            yield table.name
            if quoted:
                yield from (column.name for column in table.columns)
    for node in query.tree.find_all(exp.Identifier):
        if quoted:
            yield node.name if node.args.get("quoted") else node.name.lower()
        elif isinstance(node.parent, exp.Table | exp.TableAlias | exp.CTE) or (
            node.arg_key == "table"
        ):
            # MySQL's names of tables and aliases keep their case on some systems.
            yield node.name
