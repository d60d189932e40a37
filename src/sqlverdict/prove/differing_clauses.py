"""What keeps two normal forms apart: the clauses that only one of them has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from sqlverdict.dialects import DEFAULT_DIALECT

_CLAUSES = ("group", "having", "order", "limit", "offset")


def differing_clauses(gold_form: str, prediction_form: str) -> dict[str, tuple[str, ...]]:
    """The parts of each form that the other lacks, by ``gold`` and ``prediction``.

    Columns, sources, conditions and clauses of the outermost query are compared as text; the
    numbers that tell copies of a table apart are left out where a table occurs once.
    """
    ours, theirs = Counter(_parts(gold_form)), Counter(_parts(prediction_form))
    return {
        "gold": tuple((ours - theirs).elements()),
        "prediction": tuple((theirs - ours).elements()),
    }


def _parts(form: str) -> Iterator[str]:
    """A query's columns, sources, conditions and other clauses as text."""
    import sqlglot
    from sqlglot import exp

    from sqlverdict.prove.reasoning.shape import conditions, joins

    try:
        tree = sqlglot.parse_one(form, read=DEFAULT_DIALECT)
    except (sqlglot.errors.SqlglotError, RecursionError):
        # It is too deep to be written, or to be read.
        yield form
        return
    # Forms are full of parentheses; around the operands of AND they are in the way.
    for paren in list(tree.find_all(exp.Paren)):
        if isinstance(paren.parent, exp.And) and isinstance(
            paren.parent.parent, exp.Where | exp.And | exp.Paren
        ):
            paren.replace(paren.this)
    _plain_names(tree)
    if not isinstance(tree, exp.Select):
        yield tree.sql(DEFAULT_DIALECT)
        return
    distinct = "DISTINCT " if tree.args.get("distinct") else ""
    for item in tree.expressions:
        yield f"SELECT {distinct}{item.sql(DEFAULT_DIALECT)}"
    start = tree.args.get("from_")
    if start is not None:
        yield f"FROM {start.this.sql(DEFAULT_DIALECT)}"
    for join in joins(tree):
        if join.args.get("on") is None:
            # A cross join: the order of sources does not matter.
            yield f"FROM {join.this.sql(DEFAULT_DIALECT)}"
        else:
            yield join.sql(DEFAULT_DIALECT).strip()
    for condition in conditions(tree):
        yield f"WHERE {condition.sql(DEFAULT_DIALECT)}"
    for name in _CLAUSES:
        clause = tree.args.get(name)
        if clause is not None:
            yield clause.sql(DEFAULT_DIALECT).strip()


def _plain_names(tree: object) -> None:
    """Name a source after its table where the table occurs once."""
    from sqlglot import exp
    from sqlglot.expressions import Expr

    assert isinstance(tree, Expr)
    labels: dict[str, list[str]] = {}
    for alias in tree.find_all(exp.TableAlias):
        if alias.name not in labels.setdefault(_stem(alias.name), []):
            labels[_stem(alias.name)].append(alias.name)
    plain = {names[0]: stem for stem, names in labels.items() if len(names) == 1}
    for node in tree.find_all(exp.Identifier):
        if node.name in plain and node.arg_key in ("this", "table"):
            node.set("this", plain[node.name])


def _stem(label: str) -> str:
    stem, _, number = label.rpartition(".")
    return stem if stem and number.isdigit() else label
