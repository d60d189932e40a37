"""Where values that are equal and may differ become one: DISTINCT, GROUP BY, MIN and MAX.

MySQL's texts are such values under most collations: 'a', 'A' and 'a ' are equal, and a group shows
one of them: which, no standard says. That is harmless where no two such values meet: other columns
of the group have one value for each of them; and where nothing shows what the groups are by.

Where the answer shows that text, and nothing else looks at it, the engine's choice is left open.
The resolved tree then has a function in the place of the column: it gives one text for all that the
collation takes for the same. What rules show of such trees holds for whichever text the engine
takes. A condition that compares the text with one in quotes does not look at it: it is true for all
equal ones, or for none. A function, LIKE, MIN, another column beside it, and a query around that
does such things do look: these stay refused, and so does what is no column of a table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.execute.common_text import unknown_name
from sqlverdict.parse.schemas.column_types import column_values
from sqlverdict.prove.reasoning.dependencies import (
    closure,
    compares_like_keys,
    determines_row,
    filters,
    is_tested,
    item_keys,
    plain_columns,
    tells_groups_apart,
)
from sqlverdict.prove.reasoning.facts import Facts
from sqlverdict.prove.reasoning.shape import (
    COMPARISONS,
    ColumnName,
    column_name,
    columns_in,
    enclosing,
    has_subquery,
    has_window,
    is_aggregate,
    is_grouped,
    is_limited,
    items,
    leaves,
    output_nodes,
    source_label,
)
from sqlverdict.prove.resolve.scope import Unsupported
from sqlverdict.prove.resolve.unknown_calls import GROUP_TEXT, is_shown_text
from sqlverdict.prove.tree_key import expression_key

FOLDED = "values that are equal and may differ are folded"


ShownTexts: TypeAlias = tuple[exp.Select, Sequence[exp.Column]]
"""A SELECT that folds rows by columns of texts of which it may show any, and these columns, as they
stand in its list or behind GROUP BY."""


def is_idle(select: exp.Select, facts: Facts) -> bool:
    """Whether a DISTINCT has no two equal rows to fold: each shows a key, or its group.

    Behind IN and EXISTS it folds nothing that counts.
    """
    if select.parent is not None:
        return _is_behind_in(select)
    if has_window(select):
        return False
    if is_grouped(select):
        idle = tells_groups_apart(select, facts)
    else:
        idle = determines_row(select, facts, plain_columns(select.expressions))
    facts.cited.clear()
    return idle


def are_unseen(select: exp.Select, terms: Sequence[Expr]) -> bool:
    """Whether no value of what a query groups by leaves it: columns, HAVING and ORDER BY have none.

    Inside an aggregate a column has the values of all rows, as without the grouping. Behind IN and
    EXISTS it does not count which of several equal texts is shown, where nothing is aggregated.
    """
    outputs = output_nodes(select)
    if _is_behind_in(select) and set(outputs) <= set(terms):
        return all(isinstance(output, exp.Column) for output in outputs)
    if select.parent is not None or any(map(has_subquery, outputs)):
        return False
    grouped = {name for term in terms for name in plain_columns(columns_in(term))}
    return not grouped & plain_columns(column for node in outputs for column in _bare(node))


def _is_behind_in(select: exp.Select) -> bool:
    """Whether it is only asked if a query has rows, or such ones: all of its rows count alike."""
    holder = select.parent.parent if isinstance(select.parent, exp.Subquery) else select.parent
    is_free = not is_limited(select) and not has_window(select)
    return isinstance(holder, exp.In | exp.Exists) and is_tested(select) and is_free


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
    one = plain_columns(columns) <= _fixed(select, facts, columns, exact)
    facts.cited.clear()
    return one


def _fixed(
    select: exp.Select, facts: Facts, folded: Iterable[Expr], exact: Iterable[Expr]
) -> set[ColumnName]:
    """The columns that have one value, and not several equal ones, where the terms are equal."""
    start, sure = plain_columns(folded), plain_columns(exact)
    determined, filtered = closure(select, facts, start | sure), list(filters(select))
    rows = {
        item.alias
        for item in items(select)
        for names, _ in item_keys(item, facts, filtered)
        if all((item.alias, name) in determined for name in names)
    }
    one = {name for name in determined if name not in start or name[0] in rows}
    return one | closure(select, facts, sure)


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
    terms = group.expressions if group is not None else ()
    folded = [term for term in terms if isinstance(term, exp.Column) and _may_fold(term, facts)]
    one = _fixed(select, facts, folded, [term for term in terms if term not in folded])
    facts.cited.clear()
    return column_name(call.this) in one


def _may_fold(column: exp.Column, facts: Facts) -> bool:
    """Whether equal values of a column may differ."""
    stored = stored_values(column, facts)
    return stored is None or stored == "collated"


def stored_values(node: Expr | None, facts: Facts) -> str | None:
    """What the column of a table holds that an expression is; ``None`` where it is none."""
    while isinstance(node, exp.Column):
        label, name = column_name(node)
        table = facts.table(label)
        column = table.column(name) if table is not None else None
        if table is not None:
            return column_values(table, column, facts.dialect) if column is not None else None
        node = facts.projection(node)
    return None


def folded_columns(folded: Iterable[Expr]) -> list[exp.Column]:
    """The columns among terms by which texts are folded.

    Raises:
        Unsupported: another one may have several equal values.
    """
    columns = []
    for term in folded:
        if isinstance(term, exp.Column):
            columns.append(term)
        elif not _is_one_of_distinct_texts(term):
            raise Unsupported(FOLDED)
    return columns


def leave_texts_open(folds: Sequence[ShownTexts], facts: Facts) -> None:
    """Put a function in the place of each text that the engine chooses, in place.

    Args:
        folds: Queries of one resolved tree that fold by texts, outer ones first.
        facts: The facts.

    Raises:
        Unsupported: something looks at such a text.
    """
    chosen_columns: set[ColumnName] = set()
    for select, columns in reversed(folds):
        names = plain_columns(columns) - chosen_columns
        own = [column for column in columns if column_name(column) in names]
        if has_window(select) or any(stored_values(column, facts) != "collated" for column in own):
            raise Unsupported(FOLDED)
        uses = _group_uses if own and isinstance(own[0].parent, exp.Group) else _distinct_uses
        for column in list(uses(select, names)):
            if not _is_term_of(column, select) and not _is_compared(column):
                raise Unsupported(FOLDED)
            column.replace(_text_of_group(column))
        places = {n for n, item in enumerate(select.expressions) if is_shown_text(item)}
        _require_passed_on(select, places, chosen_columns)


def _text_of_group(column: exp.Column) -> exp.Anonymous:
    name = unknown_name(GROUP_TEXT, "total", b"", lambda _, arguments: arguments[0])
    return exp.Anonymous(this=name, expressions=[column.copy()])


def _group_uses(select: exp.Select, names: AbstractSet[ColumnName]) -> Iterator[exp.Column]:
    """Where a query that groups by columns has them outside of its aggregates."""
    terms = select.args["group"].expressions
    exact = {expression_key(term) for term in terms if not plain_columns([term]) & names}
    for node in (*terms, *output_nodes(select)):
        yield from _uses(node, names, select, exact)


def _distinct_uses(select: exp.Select, names: AbstractSet[ColumnName]) -> Iterator[exp.Column]:
    """Where columns of a SELECT DISTINCT stand behind it: whole in its list, and in ORDER BY."""
    outputs = {expression_key(item) for item in select.expressions}
    yield from (item for item in select.expressions if plain_columns([item]) & names)
    order = select.args.get("order")
    for term in order.expressions if order is not None else ():
        exact = outputs if not plain_columns([term.this]) & names else ()
        yield from _uses(term.this, names, select, exact)


def _uses(
    node: Expr, names: AbstractSet[ColumnName], select: exp.Select, exact: Iterable[str]
) -> Iterator[exp.Column]:
    if isinstance(node, exp.Column):
        if column_name(node) in names:
            yield node
    elif expression_key(node) not in exact and not (
        is_aggregate(node) and enclosing(node) is select
    ):
        for part in node.iter_expressions():
            yield from _uses(part, names, select, exact)


def _is_term_of(column: exp.Column, select: Expr) -> bool:
    """Whether a column is a whole term of a query's list, GROUP BY or ORDER BY."""
    around = column.parent
    if isinstance(around, exp.Ordered):
        around = around.parent
    if isinstance(around, exp.Group | exp.Order):
        return around.parent is select
    return around is select and column.arg_key == "expressions"


def _is_compared(column: exp.Column) -> bool:
    """Whether a column is compared with texts in quotes, tested for NULL, or counted."""
    around = column.parent
    if isinstance(around, exp.Distinct):
        around = around.parent
    if isinstance(around, exp.Count) or is_tested_for_null(column):
        return True
    others = list(compared_with(column))
    return bool(others) and all(
        isinstance(other, exp.Literal) and bool(other.is_string) for other in others
    )


def is_tested_for_null(node: Expr) -> bool:
    """Whether an expression is asked for NULL alone."""
    around = node.parent
    return isinstance(around, exp.Is) and isinstance(around.expression, exp.Null)


def compared_with(node: Expr) -> Iterator[Expr]:
    """What an expression is compared with: by a sign, BETWEEN or IN, alone or as part of a row."""
    part, number = node, 0
    if isinstance(node.parent, exp.Tuple):
        part, number = node.parent, node.index or 0
    around = part.parent
    if isinstance(around, exp.In) and isinstance(query := around.args.get("query"), exp.Subquery):
        yield from (leaf.expressions[number] for leaf in leaves(query.this))
    elif isinstance(around, (exp.In, exp.Between, *COMPARISONS)):
        for other in around.iter_expressions():
            if other is not part:
                yield other.expressions[number] if isinstance(other, exp.Tuple) else other


def _require_passed_on(
    select: exp.Select, places: AbstractSet[int], chosen_columns: set[ColumnName]
) -> None:
    """Refuse a query some of whose columns the engine chooses, where another one looks at them."""
    holder = select.parent
    if not places or holder is None or isinstance(holder, exp.Exists):
        return
    around = enclosing(holder)
    if (
        not isinstance(holder, exp.Subquery)
        or not holder.alias
        or not isinstance(around, exp.Select)
    ):
        raise Unsupported(FOLDED)
    names = {(holder.alias, f"c{number}") for number in places}
    chosen_columns |= names
    for column in columns_in(around):
        if column_name(column) in names and not (
            _is_term_of(column, around) or _is_compared(column)
        ):
            raise Unsupported(FOLDED)
    outputs = {n for n, item in enumerate(around.expressions) if plain_columns([item]) & names}
    _require_passed_on(around, outputs, chosen_columns)


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
