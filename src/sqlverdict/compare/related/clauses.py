"""What a query's text says about order, from its tokens alone: no tree is built."""

from __future__ import annotations

from sqlverdict.compare.preset import QueryPair
from sqlverdict.parse.tokens import solid


def orders(pair: QueryPair) -> bool:
    """Whether the order of gold's rows counts.

    It does where the outermost SELECT of the gold query has an ORDER BY, or the case's
    contract says so.
    """
    order = pair.contract.order if pair.contract is not None else None
    if order == "respect":
        return True
    return order != "ignore" and has_order(pair.gold_sql)


def has_order(sql: str) -> bool:
    """Whether the outermost SELECT of a query has an ORDER BY."""
    if "order" not in sql.lower():
        return False

    depth = 0
    before = ""
    for piece in solid(sql):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth -= 1
        elif depth == 0:
            word = piece.lower()
            if word == "by" and before == "order":
                return True
            before = word
    return False


def has_limit(sql: str) -> bool:
    """Whether the text may hold a LIMIT: the guard before a tree is built."""
    return "limit" in sql.lower()
