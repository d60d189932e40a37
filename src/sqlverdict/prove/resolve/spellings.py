"""Other words for the same, in dialects whose own parser does not confirm our reading.

* ``x ILIKE 'a%'`` is ``LOWER(x) LIKE 'a%'``: so the engines that have it compute it. The pattern is
  ASCII, whose lower case is the same in every locale but one;
* ``x = ANY (ARRAY[1, 2])`` is ``x IN (1, 2)``, and so it is with a query instead of the array;
  ``x <> ALL`` of a query is NOT IN;
* ``LEFT(x, 2)`` is ``SUBSTRING(x, 1, 2)``;
* DISTINCT ON is DISTINCT or GROUP BY (``distinct_on.py``);
* ``GROUP_CONCAT(x)`` puts a comma between texts, and ANY_VALUE passes over NULL, said or not;
* ``starts_with(x, 'a')`` is ``x LIKE 'a%'``;
* IS NOT is the NOT of an IS;
* STRAIGHT_JOIN is JOIN, as a word behind SELECT it says nothing, nor do other hints;
* where DUAL is a reserved word, FROM DUAL reads no table;
* where a number is a condition, ``x = TRUE`` is ``x = 1``, and ``x IS TRUE`` is that x is neither 0
  nor NULL.

What is refused after this is read again as its engine writes it; PostgreSQL's ANY and ILIKE have a
second spelling in ``execute/engines/postgres/common/spellings.py``. There ANY is an OR, as an IN
beside a REAL would be another query (``engine_limits/joint_operands.py``).
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.dialects import dialect_of
from sqlverdict.parse.schema import Schema
from sqlverdict.prove.resolve.distinct_on import spell_distinct_on

_HINTS = frozenset(
    {"STRAIGHT_JOIN", "SQL_NO_CACHE", "SQL_CACHE", "HIGH_PRIORITY", "SQL_BUFFER_RESULT"}
    | {"SQL_BIG_RESULT", "SQL_SMALL_RESULT"}
)
"""Words behind SELECT that change no answer."""


def spell_plainly(tree: Expr, dialect: str, schema: Schema) -> None:
    """Change a parsed tree of a dialect, in place; the schema says which columns there are."""
    numbers = dialect_of(dialect).number_conditions
    has_dual = "dual" in dialect_of(dialect).reserved_words
    for node in list(tree.walk()):
        match node:
            case exp.Join() if (node.kind or "").upper() == "STRAIGHT_JOIN":
                node.set("kind", None)
            case exp.Select() if node.args.get("operation_modifiers"):
                if all(str(word).upper() in _HINTS for word in node.args["operation_modifiers"]):
                    node.set("operation_modifiers", None)
            case exp.Select() if (distinct := node.args.get("distinct")) and distinct.args.get(
                "on"
            ):
                spell_distinct_on(node, schema, dialect)
            case exp.From() if has_dual and is_dual(node):
                node.pop()
            case exp.EQ() if isinstance(node.expression, exp.Any):
                _any(node)
            case exp.NEQ() if isinstance(node.expression, exp.All):
                _none(node)
            case exp.Left():
                start, length = exp.Literal.number(1), node.expression
                node.replace(exp.Substring(this=node.this, start=start, length=length))
            case exp.EQ() | exp.NEQ() if numbers:
                _number_for_truth(node)
            case exp.Is() if (
                numbers
                and isinstance(node.this, exp.Column)
                and isinstance(node.expression, exp.Boolean)
            ):
                _number_is_truth(node)
            case exp.Anonymous() if str(node.this).lower() == "date_part":
                _date_part(node)
            case exp.StartsWith() if not numbers:
                _starts_with(node)
            case exp.GroupConcat() if node.args.get("separator") is None:
                node.set("separator", exp.Literal.string(","))
            case exp.IgnoreNulls() if isinstance(node.this, exp.AnyValue):
                node.replace(node.this)
            case exp.ILike():
                _ilike(node)
            case exp.Is():
                _spell_is(node)


def is_dual(start: exp.From) -> bool:
    """Whether it is FROM DUAL, without quotes and without another source."""
    table, select = start.this, start.parent
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        return False
    is_alone = select is None or not (select.args.get("joins") or select.args.get("laterals"))
    is_bare = not table.this.args.get("quoted") and not table.db and not table.alias
    return is_alone and is_bare and table.name.lower() == "dual"


def _starts_with(node: exp.StartsWith) -> None:
    """Write ``x LIKE 'a%'`` for ``starts_with(x, 'a')``."""
    start = node.expression
    if not isinstance(start, exp.Literal) or not start.is_string:
        return
    # A CHAR loses the spaces at its end in starts_with, and keeps them beside LIKE.
    if not set(str(start.this)) & set("%_\\") and not str(start.this).endswith(" "):
        like = exp.Like(this=node.this, expression=exp.Literal.string(f"{start.this}%"))
        node.replace(exp.Paren(this=like))


def _date_part(node: exp.Anonymous) -> None:
    unit = node.expressions[0] if len(node.expressions) == 2 else None
    if isinstance(unit, exp.Literal) and str(unit.this).lower() == "year":
        node.replace(exp.Extract(this=exp.Var(this="YEAR"), expression=node.expressions[1]))


def _spell_is(node: exp.Is) -> None:
    if node.args.get("negate"):
        # In PostgreSQL it is another test for a value of several columns; such are refused.
        node.set("negate", None)
        negation = exp.Not()
        node.replace(negation)
        negation.set("this", node)


def _number_is_truth(node: exp.Is) -> None:
    """Write ``x <> 0 AND NOT x IS NULL`` for ``x IS TRUE``."""
    compare = exp.NEQ if node.expression.this else exp.EQ
    zero = exp.Literal.number(0)
    has_value = exp.Not(this=exp.Is(this=node.this.copy(), expression=exp.Null()))
    both = exp.And(this=compare(this=node.this.copy(), expression=zero), expression=has_value)
    whole: Expr = exp.Paren(this=both)
    if node.args.get("negate"):
        whole = exp.Not(this=whole)
    node.replace(whole)


def _number_for_truth(node: exp.EQ | exp.NEQ) -> None:
    """Write 1 for TRUE and 0 for FALSE beside a column."""
    for part, other in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(part, exp.Boolean) and isinstance(other, exp.Column):
            part.replace(exp.Literal.number(int(bool(part.this))))


def _ilike(node: exp.ILike) -> None:
    pattern = node.expression
    if isinstance(node.parent, exp.Escape) or not isinstance(pattern, exp.Literal):
        return
    text = str(pattern.this)
    # In one locale the lower case of I has no dot.
    if not pattern.is_string or not text.isascii() or "I" in text or "\\" in text:
        return
    like = exp.Like(this=exp.Lower(this=node.this), expression=exp.Literal.string(text.lower()))
    like.set("negate", node.args.get("negate"))
    node.replace(like)


def _none(node: exp.NEQ) -> None:
    query = _query_of(node.expression)
    if query is not None:
        node.replace(exp.Not(this=exp.In(this=node.this, query=query)))


def _query_of(node: Expr) -> exp.Subquery | None:
    """The query of ANY or ALL."""
    inner = node.this
    if isinstance(inner, exp.Select):
        return exp.Subquery(this=inner)
    return inner if isinstance(inner, exp.Subquery) and not inner.alias else None


def _any(node: exp.EQ) -> None:
    query = _query_of(node.expression)
    if query is not None:
        node.replace(exp.In(this=node.this, query=query))
        return
    inner = node.expression.this
    inner = inner.this if isinstance(inner, exp.Paren) else inner
    members = list(inner.expressions) if isinstance(inner, exp.Array) else []
    # In an array a text in quotes is a TEXT; beside a date it would be one, and beside a CHAR a
    # space at its end would not count.
    if members and all(isinstance(each, exp.Literal) and not each.is_string for each in members):
        node.replace(exp.In(this=node.this, expressions=members))
