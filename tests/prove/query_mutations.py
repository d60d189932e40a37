"""Small changes to a query that may or may not change what it means.

Where the prover says that a changed query is equal to its origin, no database may say otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from sqlglot import exp
from sqlglot.expressions import Expr

COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)
NUMBERS = ("0", "1", "2", "3")
TEXTS = ("a", "A", "b", "", "1")


def mutate(tree: Expr, rng: Random, times: int = 1) -> str:
    """The text of a query after some random changes; the tree is not changed."""
    replacement = exp.Paren(this=tree.copy())
    for _ in range(times):
        nodes = list(replacement.this.walk())
        for _ in range(40):
            node = nodes[rng.randrange(len(nodes))]
            fitting = [change for kind, change in _CHANGES if isinstance(node, kind)]
            if fitting and fitting[rng.randrange(len(fitting))](node, rng):
                break
    return str(replacement.this.sql("sqlite"))


def _swap(node: Expr, rng: Random) -> bool:
    left, right = node.this, node.expression
    if isinstance(right, exp.Escape) or isinstance(left, exp.Query) != isinstance(right, exp.Query):
        return False
    node.set("this", right.copy())
    node.set("expression", left.copy())
    return True


def _compare_otherwise(node: Expr, rng: Random) -> bool:
    kind = COMPARISONS[rng.randrange(len(COMPARISONS))]
    node.replace(kind(this=node.this.copy(), expression=node.expression.copy()))
    return True


def _flip(node: Expr, rng: Random) -> bool:
    flips = {exp.GT: exp.LT, exp.LT: exp.GT, exp.GTE: exp.LTE, exp.LTE: exp.GTE}
    kind = flips.get(type(node), type(node))
    node.replace(kind(this=node.expression.copy(), expression=node.this.copy()))
    return True


def _negate(node: Expr, rng: Random) -> bool:
    node.replace(exp.Not(this=exp.Paren(this=node.copy())))
    return True


def _unnegate(node: Expr, rng: Random) -> bool:
    node.replace(node.this.copy())
    return True


def _connect_otherwise(node: Expr, rng: Random) -> bool:
    kind = exp.Or if isinstance(node, exp.And) else exp.And
    replacement = kind(
        this=exp.Paren(this=node.this.copy()), expression=exp.Paren(this=node.expression.copy())
    )
    node.replace(exp.Paren(this=replacement))
    return True


def _keep_one(node: Expr, rng: Random) -> bool:
    side = node.this if rng.randrange(2) else node.expression
    node.replace(exp.Paren(this=side.copy()))
    return True


def _other_number(node: Expr, rng: Random) -> bool:
    if isinstance(node.parent, exp.Ordered | exp.Group):
        return False
    if node.is_string:
        node.replace(exp.Literal.string(TEXTS[rng.randrange(len(TEXTS))]))
    else:
        node.replace(exp.Literal.number(NUMBERS[rng.randrange(len(NUMBERS))]))
    return True


def _toggle_distinct(node: Expr, rng: Random) -> bool:
    node.set("distinct", None if node.args.get("distinct") else exp.Distinct())
    return True


def _drop(part: str) -> Callable[[Expr, Random], bool]:
    def change(node: Expr, rng: Random) -> bool:
        if not node.args.get(part) or (part == "group" and node.args.get("having")):
            return False
        node.set(part, None)
        return True

    return change


def _drop_one(part: str) -> Callable[[Expr, Random], bool]:
    def change(node: Expr, rng: Random) -> bool:
        value = node.args.get(part)
        terms = list(value.expressions) if value is not None else []
        if len(terms) < 2:
            return False
        del terms[rng.randrange(len(terms))]
        value.set("expressions", terms)
        return True

    return change


def _shuffle(node: Expr, rng: Random) -> bool:
    terms = list(node.expressions)
    rng.shuffle(terms)
    node.set("expressions", terms)
    return len(terms) > 1


def _join_otherwise(node: Expr, rng: Random) -> bool:
    if node.args.get("on") is None:
        return False
    sides = ("", "LEFT", "RIGHT", "FULL")
    node.set("side", sides[rng.randrange(4)] or None)
    node.set("kind", None)
    return True


def _on_to_where(node: Expr, rng: Random) -> bool:
    select, on = node.parent, node.args.get("on")
    if not isinstance(select, exp.Select) or on is None:
        return False
    node.set("on", exp.true())
    where = select.args.get("where")
    replacement = exp.Paren(this=on.copy())
    if where is not None:
        replacement = exp.And(this=exp.Paren(this=where.this.copy()), expression=replacement)
    select.set("where", exp.Where(this=replacement))
    return True


def _swap_sources(node: Expr, rng: Random) -> bool:
    joins = node.args.get("joins") or []
    if not joins:
        return False
    first, second = node.args["from_"].this, joins[0].this
    node.set("from_", exp.From(this=second.copy()))
    joins[0].set("this", first.copy())
    return True


def _wrap(node: Expr, rng: Random) -> bool:
    if not isinstance(node.parent, exp.Paren) or node.find_ancestor(exp.Select) is not None:
        return False
    inner = exp.Subquery(this=node.copy(), alias=exp.TableAlias(this=exp.to_identifier("wrapped")))
    node.replace(exp.Select(expressions=[exp.Star()], from_=exp.From(this=inner)))
    return True


def _unite_otherwise(node: Expr, rng: Random) -> bool:
    kind = (exp.Union, exp.Union, exp.Intersect, exp.Except)[rng.randrange(4)]
    all_rows = kind is exp.Union and rng.randrange(2)
    args = {name: value for name, value in node.args.items() if value is not None}
    node.replace(kind(**{**args, "distinct": not all_rows}))
    return True


def _aggregate_otherwise(node: Expr, rng: Random) -> bool:
    if isinstance(node.this, exp.Star):
        return False
    kinds = (exp.Count, exp.Sum, exp.Max, exp.Min, exp.Avg)
    node.replace(kinds[rng.randrange(len(kinds))](this=node.this.copy()))
    return True


def _count_otherwise(node: Expr, rng: Random) -> bool:
    columns = [column for column in node.root().find_all(exp.Column) if column.table]
    if not columns:
        return False
    if isinstance(node.this, exp.Star):
        node.set("this", columns[rng.randrange(len(columns))].copy())
    elif isinstance(node.this, exp.Distinct):
        node.set("this", node.this.expressions[0].copy())
    else:
        ways = (exp.Star(), exp.Distinct(expressions=[node.this.copy()]))
        node.set("this", ways[rng.randrange(2)])
    return True


def _other_column(node: Expr, rng: Random) -> bool:
    columns = [c for c in node.root().find_all(exp.Column) if c.table and c is not node]
    if not columns:
        return False
    node.replace(columns[rng.randrange(len(columns))].copy())
    return True


def _turn(node: Expr, rng: Random) -> bool:
    node.set("desc", not node.args.get("desc"))
    node.set("nulls_first", not node.args.get("desc"))
    return True


def _not_null(node: Expr, rng: Random) -> bool:
    columns = [column for column in node.find_all(exp.Column) if column.table]
    if not columns:
        return False
    column = columns[rng.randrange(len(columns))].copy()
    test = exp.Not(this=exp.Is(this=column, expression=exp.Null()))
    where = node.args.get("where")
    replacement = (
        exp.And(this=exp.Paren(this=where.this.copy()), expression=test) if where else test
    )
    node.set("where", exp.Where(this=replacement))
    return True


def _exists(node: Expr, rng: Random) -> bool:
    """``x IN (SELECT y ...)`` as ``EXISTS (SELECT ... AND y = x)``."""
    query = node.args.get("query")
    inner = query.this if isinstance(query, exp.Subquery) else query
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return False
    inner = inner.copy()
    picked = inner.expressions[0]
    picked = picked.this if isinstance(picked, exp.Alias) else picked
    test = exp.EQ(this=picked.copy(), expression=node.this.copy())
    where = inner.args.get("where")
    replacement = (
        exp.And(this=exp.Paren(this=where.this.copy()), expression=test) if where else test
    )
    inner.set("where", exp.Where(this=replacement))
    node.replace(exp.Exists(this=inner))
    return True


_CHANGES: tuple[tuple[type[Expr] | tuple[type[Expr], ...], Callable[[Expr, Random], bool]], ...] = (
    (COMPARISONS, _flip),
    (COMPARISONS, _compare_otherwise),
    (COMPARISONS, _negate),
    ((*COMPARISONS, exp.Add, exp.Mul, exp.Sub, exp.Div, exp.DPipe), _swap),
    ((exp.And, exp.Or), _connect_otherwise),
    ((exp.And, exp.Or), _keep_one),
    ((exp.And, exp.Or), _swap),
    (exp.Not, _unnegate),
    (exp.Literal, _other_number),
    (exp.Select, _toggle_distinct),
    (exp.Select, _drop("where")),
    (exp.Select, _drop("group")),
    (exp.Select, _drop("having")),
    (exp.Select, _drop("limit")),
    (exp.Select, _drop("order")),
    (exp.Select, _drop_one("group")),
    (exp.Select, _drop_one("order")),
    (exp.Select, _swap_sources),
    (exp.Select, _not_null),
    (exp.Query, _wrap),
    ((exp.Select, exp.Group, exp.Order, exp.In), _shuffle),
    (exp.Join, _join_otherwise),
    (exp.Join, _on_to_where),
    (exp.SetOperation, _unite_otherwise),
    (exp.SetOperation, _swap),
    ((exp.Max, exp.Min, exp.Sum, exp.Avg), _aggregate_otherwise),
    (exp.Count, _count_otherwise),
    (exp.Column, _other_column),
    (exp.Ordered, _turn),
    (exp.In, _exists),
)
