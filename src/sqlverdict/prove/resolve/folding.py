"""Where values that are equal and may differ become one: DISTINCT, GROUP BY, MIN and MAX.

MySQL's texts are such values under most collations: 'a', 'A' and 'a ' are equal, and a group shows
one of them: which, no standard says. That is harmless where no two such values meet: other columns
of the group have one value for each of them; and where nothing shows what the groups are by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.prove.reasoning.dependencies import (
    closure,
    compares_like_keys,
    determines_row,
    plain_columns,
    tells_groups_apart,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    column_name,
    columns_in,
    enclosing,
    has_subquery,
    has_window,
    is_aggregate,
    is_grouped,
    output_nodes,
    source_label,
)

FOLDED = "values that are equal and may differ are folded"


def is_idle(select: exp.Select, facts: Facts) -> bool:
    """Whether a DISTINCT has no two equal rows to fold: each shows a key, or its group."""
    if select.parent is not None or has_window(select):
        return False
    if is_grouped(select):
        idle = tells_groups_apart(select, facts)
    else:
        idle = determines_row(select, facts, plain_columns(select.expressions))
    facts.cited.clear()
    return idle


def are_unseen(select: exp.Select, terms: Iterable[Expr]) -> bool:
    """Whether no value of what a query groups by leaves it: columns, HAVING and ORDER BY have none.

    Inside an aggregate a column has the values of all rows, as without the grouping.
    """
    outputs = output_nodes(select)
    if select.parent is not None or any(map(has_subquery, outputs)):
        return False
    grouped = {name for term in terms for name in plain_columns(columns_in(term))}
    return not grouped & plain_columns(column for node in outputs for column in _bare(node))


def _bare(node: Expr) -> Iterator[exp.Column]:
    """The columns of an expression outside of its aggregates."""
    if isinstance(node, exp.Column):
        yield node
    elif not is_aggregate(node):
        for part in node.iter_expressions():
            yield from _bare(part)


def has_one_value(
    select: exp.Select, facts: Facts, folded: Sequence[Expr], exact: Iterable[Expr]
) -> bool:
    """Whether no two values of the folded terms meet that are equal and differ.

    Args:
        select: The query that folds.
        facts: The facts.
        folded: Terms whose equal values may differ.
        exact: The other terms that it folds by.
    """
    if select.args.get("group") is not None and _are_single(select, facts, [*folded, *exact]):
        return True
    if _are_unused(select, facts, folded):
        return True
    columns = [term for term in folded if isinstance(term, exp.Column)]
    texts = [term for term in folded if not isinstance(term, exp.Column)]
    if not all(map(_is_one_of_distinct_texts, texts)):
        return False
    if not columns:
        return True
    one = plain_columns(columns) <= closure(select, facts, plain_columns(exact))
    facts.cited.clear()
    return one


def _are_single(select: exp.Select, facts: Facts, terms: Iterable[Expr]) -> bool:
    """Whether each group is one row, as a key is grouped by."""
    single = not has_window(select) and determines_row(select, facts, plain_columns(terms))
    facts.cited.clear()
    return single


def _are_unused(select: exp.Select, facts: Facts, folded: Sequence[Expr]) -> bool:
    """Whether a derived table folds by texts of which the query around it uses none."""
    holder = select.parent
    if not isinstance(holder, exp.Subquery) or not holder.alias:
        return False
    around, text = enclosing(holder), exp.Literal.string("")
    if around is None or not all(
        isinstance(term, exp.Column) and compares_like_keys(term, text, facts) for term in folded
    ):
        return False
    names = plain_columns(folded)
    shows = [bool(names & plain_columns(_bare(node))) for node in output_nodes(select)]
    width = len(select.expressions)
    if any(shows[width:]) or any(map(has_subquery, output_nodes(select))):
        return False
    used = {column.name for column in columns_in(around) if source_label(column) == holder.alias}
    return not any(f"c{number}" in used for number, shows_it in enumerate(shows) if shows_it)


def sees_one_value(call: Expr, facts: Facts) -> bool:
    """Whether an aggregate is one of a column that is the same in all rows of its group."""
    select = enclosing(call)
    if not isinstance(select, exp.Select) or not isinstance(call.this, exp.Column):
        return False
    group = select.args.get("group")
    terms = plain_columns(group.expressions if group is not None else ())
    determined = closure(select, facts, terms)
    facts.cited.clear()
    return column_name(call.this) in determined


def _is_one_of_distinct_texts(node: Expr) -> bool:
    """Whether a value is one of a few texts in quotes of which no two are equal."""
    results = [node]
    if isinstance(node, exp.Case):
        default = node.args.get("default") or exp.null()
        results = [*(branch.args["true"] for branch in node.args["ifs"]), default]
    elif isinstance(node, exp.If):
        results = [node.args["true"], node.args.get("false") or exp.null()]
    texts = [result for result in results if not isinstance(result, exp.Null)]
    if not all(isinstance(text, exp.Literal) and text.is_string for text in texts):
        return False
    words = {str(text.this) for text in texts}
    # Letters and digits of ASCII are equal to no others but their capitals, in every collation.
    plain = all(word.isascii() and word.replace(" ", "").isalnum() for word in words if word)
    return plain and len({word.lower().strip() for word in words}) == len(words)
