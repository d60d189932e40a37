"""Other words for the same, in dialects whose own parser does not confirm our reading.

* ``x ILIKE 'a%'`` is ``LOWER(x) LIKE 'a%'``: so the engines that have it compute it. The pattern is
  ASCII, whose lower case is the same in every locale but one;
* ``x = ANY (ARRAY[1, 2])`` is ``x IN (1, 2)``, and so it is with texts beside a column of texts,
  and with a query instead of the array; ``x <> ALL`` of the same is NOT IN;
* where only truth counts, ``x > ANY (SELECT y ...)`` is ``x > (SELECT MIN(y) ...)``;
* where that counts pairs without NULL, ``SELECT COUNT(DISTINCT x, y) FROM t`` is ``SELECT COUNT(*)
  FROM (SELECT DISTINCT x, y FROM t WHERE x IS NOT NULL AND y IS NOT NULL)``;
* ``BOOL_OR(p)`` is ``MAX(CASE WHEN p THEN 1 WHEN NOT p THEN 0 END) = 1``, in HAVING ``COUNT(CASE
  WHEN p THEN 1 END) > 0``, and BOOL_AND is the same with MIN;
* LIMIT ALL and LIMIT NULL are no LIMIT, and ORDER BY NULL is no order;
* ``p XOR q`` is ``(p AND NOT q) OR (NOT p AND q)``;
* ``LEFT(x, 2)`` is ``SUBSTRING(x, 1, 2)``, and so is ``MID(x, 1, 2)``;
* DATE_TRUNC and a CAST to DATE beside a day are bounds (``other_words/day_tests.py``);
* DISTINCT ON is DISTINCT or GROUP BY (``other_words/distinct_on.py``);
* ``GROUP_CONCAT(x)`` puts a comma between texts, and ANY_VALUE passes over NULL, said or not;
* ``starts_with(x, 'a')`` is ``x LIKE 'a%'``; ``STRPOS(x, 'a') > 0`` and ``contains(x, 'a')`` are
  ``x LIKE '%a%'`` for a column of texts;
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
from sqlverdict.prove.resolve.other_words.day_tests import is_column_of, spell_day_tests
from sqlverdict.prove.resolve.other_words.distinct_on import spell_distinct_on

_HINTS = frozenset(
    {"STRAIGHT_JOIN", "SQL_NO_CACHE", "SQL_CACHE", "HIGH_PRIORITY", "SQL_BUFFER_RESULT"}
    | {"SQL_BIG_RESULT", "SQL_SMALL_RESULT"}
)
"""Words behind SELECT that change no answer."""


def spell_plainly(tree: Expr, dialect: str, schema: Schema) -> None:
    """Change a parsed tree of a dialect, in place; the schema says which columns there are."""
    numbers = dialect_of(dialect).number_conditions
    has_dual = "dual" in dialect_of(dialect).reserved_words
    spell_day_tests(tree, dialect, schema)
    for node in list(tree.walk()):
        match node:
            case exp.Limit() if isinstance(node.expression, exp.Null) or (
                isinstance(node.expression, exp.Var) and node.expression.name.upper() == "ALL"
            ):
                node.pop()
            case exp.Order() if numbers and all(map(_is_null_term, node.expressions)):
                node.pop()
            case exp.Xor():
                _xor(node)
            case exp.LogicalOr() | exp.LogicalAnd() if not numbers:
                _truth_of_group(node)
            case exp.Count() if numbers and isinstance(node.this, exp.Distinct):
                _count_of_rows(node)
            case exp.GT() | exp.GTE() | exp.LT() | exp.LTE() if isinstance(
                node.expression, exp.Any
            ):
                _above_any(node)
            case exp.GT() | exp.EQ() if (
                not numbers
                and isinstance(node.this, exp.StrPosition)
                and is_column_of(node.this.this, {"text"}, tree, dialect, schema)
            ):
                _contains(node, node.this, node.this.args.get("substr"), node.expression)
            case exp.Contains() if not numbers and is_column_of(
                node.this, {"text"}, tree, dialect, schema
            ):
                _contains(node, node, node.expression, None)
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
                is_text = is_column_of(node.this, {"text"}, tree, dialect, schema)
                _member(node, is_text=is_text)
            case exp.NEQ() if _is_all(node.expression):
                is_text = is_column_of(node.this, {"text"}, tree, dialect, schema)
                _member(node, is_text=is_text)
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
            case exp.Anonymous() if numbers and str(node.this).lower() == "mid":
                _mid(node)
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


def _is_null_term(term: Expr) -> bool:
    return isinstance(term, exp.Ordered) and isinstance(term.this, exp.Null)


def _xor(node: exp.Xor) -> None:
    """Write it with AND and OR, where its place and its operands are clear."""
    left, right = node.this, node.expression
    clear = (exp.Paren, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
    if not isinstance(left, clear) or not isinstance(right, clear):
        return
    if isinstance(node.parent, exp.Connector | exp.Not) or node.find(exp.Query):
        return
    ways = [
        exp.Paren(
            this=exp.And(this=exp.Paren(this=one.copy()), expression=exp.Not(this=_paren(other)))
        )
        for one, other in ((left, right), (right, left))
    ]
    node.replace(exp.Paren(this=exp.Or(this=ways[0], expression=ways[1])))


def _paren(node: Expr) -> exp.Paren:
    return node.copy() if isinstance(node, exp.Paren) else exp.Paren(this=node.copy())


def _count_of_rows(node: exp.Count) -> None:
    """Count distinct rows, where the query shows that count alone."""
    columns = node.this.expressions
    output = node.parent if isinstance(node.parent, exp.Alias) else node
    select = output.parent
    if len(columns) < 2 or not all(isinstance(each, exp.Column) for each in columns):
        return
    if not isinstance(select, exp.Select) or select.expressions != [output]:
        return
    present = {name for name, value in select.args.items() if value}
    if not present <= {"expressions", "from_", "joins", "where"} or "from_" not in present:
        return
    inner = exp.Select(
        expressions=[
            exp.alias_(each.copy(), f"c{number}", quoted=True)
            for number, each in enumerate(columns)
        ],
        distinct=exp.Distinct(),
    )
    tests: list[Expr] = [
        exp.Not(this=exp.Is(this=each.copy(), expression=exp.Null())) for each in columns
    ]
    where = select.args.get("where")
    if where is not None:
        tests.append(exp.Paren(this=where.this))
    for name in ("from_", "joins"):
        inner.set(name, select.args.get(name))
    inner.set("where", exp.Where(this=exp.and_(*tests, wrap=False)))
    source = exp.Subquery(
        this=inner, alias=exp.TableAlias(this=exp.to_identifier("sqlverdict_rows", quoted=True))
    )
    node.set("this", exp.Star())
    for name in ("joins", "where"):
        select.set(name, None)
    select.set("from_", exp.From(this=source))


def _truth_of_group(node: exp.LogicalOr | exp.LogicalAnd) -> None:
    """Ask for the extreme of truths; where only truth counts, for a row."""
    condition = node.this
    if isinstance(node.parent, exp.Filter | exp.Window | exp.Order) or node.expressions:
        return
    if isinstance(condition, exp.Distinct) or condition.find(exp.AggFunc, exp.Query, exp.Window):
        return
    one, zero = exp.Literal.number(1), exp.Literal.number(0)
    branch = exp.If(this=condition.copy(), true=one.copy())
    around: Expr = node
    while isinstance(around.parent, exp.And | exp.Or | exp.Paren):
        around = around.parent
    if isinstance(node, exp.LogicalOr) and isinstance(around.parent, exp.Having):
        count = exp.Count(this=exp.Case(ifs=[branch]), big_int=True)
        node.replace(exp.Paren(this=exp.GT(this=count, expression=zero)))
        return
    other = exp.If(this=exp.Not(this=_paren(condition)), true=zero)
    extreme = exp.Max if isinstance(node, exp.LogicalOr) else exp.Min
    call = extreme(this=exp.Case(ifs=[branch, other]))
    node.replace(exp.Paren(this=exp.EQ(this=call, expression=one)))


def _mid(node: exp.Anonymous) -> None:
    if len(node.expressions) == 3:
        text, start, length = node.expressions
        node.replace(exp.Substring(this=text, start=start, length=length))


def _above_any(node: exp.GT | exp.GTE | exp.LT | exp.LTE) -> None:
    """Compare with the extreme, where false and NULL are one: of no rows it is NULL."""
    query = _query_of(node.expression)
    inner = query.this if query is not None else None
    around: Expr = node
    while isinstance(around.parent, exp.And | exp.Or | exp.Paren):
        around = around.parent
    if not isinstance(around.parent, exp.Where | exp.Having) or query is None:
        return
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return
    present = {name for name, value in inner.args.items() if value}
    output = inner.expressions[0].unalias()
    if not present <= {"expressions", "from_", "joins", "where"} or output.is_star:
        return
    if output.find(exp.AggFunc, exp.Window, exp.Query):
        return
    extreme = exp.Min if isinstance(node, exp.GT | exp.GTE) else exp.Max
    inner.set("expressions", [extreme(this=output)])
    node.set("expression", query)


def _contains(node: Expr, call: Expr, part: Expr | None, bound: Expr | None) -> None:
    """Write ``x LIKE '%a%'`` for ``STRPOS(x, 'a') > 0``, and NOT LIKE for ``= 0``."""
    is_zero = isinstance(bound, exp.Literal) and not bound.is_string and bound.this == "0"
    if bound is not None and not is_zero:
        return
    if any(call.args.get(name) for name in ("position", "occurrence", "json_scope")):
        return
    if not isinstance(part, exp.Literal) or not part.is_string:
        return
    # A CHAR keeps the spaces at its end beside LIKE alone.
    if not part.this or set(str(part.this)) & set("%_\\ "):
        return
    like = exp.Like(this=call.this, expression=exp.Literal.string(f"%{part.this}%"))
    negated = isinstance(node, exp.EQ)
    node.replace(exp.Paren(this=exp.Not(this=like) if negated else like))


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


def _query_of(node: Expr) -> exp.Subquery | None:
    """The query of ANY or ALL."""
    inner = node.this
    if isinstance(inner, exp.Select):
        return exp.Subquery(this=inner)
    return inner if isinstance(inner, exp.Subquery) and not inner.alias else None


def _is_all(node: Expr) -> bool:
    """Whether it is ALL of something: beside an array our parser takes it for a function."""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() == "all" and len(node.expressions) == 1
    return isinstance(node, exp.All)


def _member(node: exp.EQ | exp.NEQ, *, is_text: bool) -> None:
    """Write IN for ``= ANY``, and NOT IN for ``<> ALL``."""
    call = node.expression
    query = None if isinstance(call, exp.Anonymous) else _query_of(call)
    inner = call.expressions[0] if isinstance(call, exp.Anonymous) else call.this
    inner = inner.unnest()
    members = list(inner.expressions) if isinstance(inner, exp.Array) else []
    if query is not None:
        is_in = exp.In(this=node.this, query=query)
    elif members and all(
        # In an array a text in quotes is a TEXT; beside a date it would be one, and beside a CHAR a
        # space at its end would not count.
        isinstance(each, exp.Literal) and each.is_string is is_text
        for each in members
    ):
        is_in = exp.In(this=node.this, expressions=members)
    else:
        return
    node.replace(is_in if isinstance(node, exp.EQ) else exp.Not(this=is_in))
