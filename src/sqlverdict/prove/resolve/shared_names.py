"""NATURAL and USING: joins by the names that two sides share."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp
from sqlglot.expressions import Expr

from sqlverdict.parse.tokens import fold
from sqlverdict.prove.reasoning.shape import all_of
from sqlverdict.prove.resolve.scope import Scope, Source, Unsupported, resolved


def join_by_names(join: exp.Join, before: Sequence[Source], scope: Scope, padded: bool) -> bool:
    """Turn NATURAL and USING into ON, over resolved columns.

    Args:
        join: The join; its source is the last one of the scope.
        before: The sources before it.
        scope: Where the columns that are one from now on are noted.
        padded: Whether a RIGHT or FULL JOIN stands up to here.

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
        using = [n for n in right.columns if any(n in source.columns for source in before)]
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
