"""Which SQL features a query uses, from its tokens: a closed set, for slices of a score.

No tree is built: this runs on every gold of every case, and on text no parser accepts.
A feature counts wherever it occurs, subqueries and common table expressions included.
"""

from __future__ import annotations

from sqlverdict.parse.tokens import solid, word_set

FEATURES: dict[str, str] = {
    "aggregate": "an aggregate function that is not used as a window function",
    "arithmetic": "binary +, -, *, / or %",
    "between": "BETWEEN",
    "case": "CASE",
    "cast": "CAST(x AS type)",
    "comma_join": "a FROM clause with a comma",
    "concatenation": "the operator ||",
    "cte": "a common table expression (WITH)",
    "date_function": "a date or time function of SQLite, or CURRENT_DATE and the like",
    "distinct": "SELECT DISTINCT",
    "distinct_aggregate": "an aggregate over DISTINCT values",
    "exists": "EXISTS",
    "group_by": "GROUP BY",
    "having": "HAVING",
    "in": "IN, over a list or a subquery",
    "is_null": "IS NULL, IS NOT NULL, ISNULL or NOTNULL",
    "join": "a join written with JOIN",
    "left_join": "LEFT JOIN or LEFT OUTER JOIN",
    "like": "LIKE, GLOB, REGEXP or MATCH as an operator",
    "limit": "LIMIT",
    "multiple_tables": "a FROM clause with more than one member: join or comma_join",
    "not": "NOT, alone or in NOT IN, NOT LIKE, NOT BETWEEN, NOT EXISTS; IS NOT does not count",
    "or": "OR",
    "order_by": "ORDER BY of a query, not of a window or an aggregate",
    "recursive_cte": "WITH RECURSIVE",
    "set_operation": "UNION, INTERSECT or EXCEPT",
    "star": "* or t.* as an output column; count(*) does not count",
    "subquery": "a SELECT in parentheses that is no common table expression",
    "window": "a function with OVER",
}

AGGREGATES = word_set(
    "avg count group_concat json_group_array json_group_object max median min string_agg sum total"
)
_DATES = word_set("date datetime julianday strftime time timediff unixepoch")
_NOW = word_set("current_date current_time current_timestamp")

# Words whose presence alone decides: SQLite reserves them.
_ALONE = {
    "between": "between",
    "case": "case",
    "exists": "exists",
    "having": "having",
    "in": "in",
    "isnull": "is_null",
    "limit": "limit",
    "notnull": "is_null",
    "or": "or",
    "||": "concatenation",
    "union": "set_operation",
    "intersect": "set_operation",
    "except": "set_operation",
    **dict.fromkeys(_NOW, "date_function"),
}
_ENDS_FROM = word_set("where group order having limit select union intersect except window")
# After these an expression begins, so a + or - is a sign and a * is a star.
_BEFORE_EXPRESSION = word_set(
    "select distinct all where and or not on having by when then else case in like glob regexp "
    "match between limit offset is from values escape over ( , = == < > <= >= <> != || + - * / % "
    "& | << >> ~ -> ->>"
) | {""}
_POSITIONAL = word_set(
    "( ) , * + - / % is not select with cast join left by like glob regexp match distinct over from"
)
# A table may be called Match: SQLite does not reserve the pattern operators.
_NO_OPERAND = _BEFORE_EXPRESSION | {"join", "as", "."}
_LOOKED_AT = _POSITIONAL | _ENDS_FROM | _DATES
# sum(x) FILTER (WHERE y) is an aggregate too, unless OVER follows.
_CLOSING = AGGREGATES | {"filter"}


def features(sql: str) -> frozenset[str]:
    """The features of a query; see :data:`FEATURES`."""
    return features_of_words(solid(sql.lower()))


def features_of_words(words: list[str]) -> frozenset[str]:
    """The features of a query, given its lower-case tokens without spaces and comments."""
    names = {_ALONE[word] for word in _ALONE.keys() & set(words)}
    add = names.add
    # What opened the innermost parenthesis, how many commas it holds so far, and whether
    # we are in a FROM clause; ``outer`` has the same of the parentheses around it.
    opener, commas, in_from = "", 0, False
    outer: list[tuple[str, int, bool]] = []
    last = len(words) - 1
    for at, word in enumerate(words):
        if word not in _LOOKED_AT:
            continue
        before = words[at - 1] if at else ""
        after = words[at + 1] if at < last else ""
        if word == "(":
            outer.append((opener, commas, in_from))
            # A parenthesis where a table may stand holds a join; after a word, arguments.
            in_from = in_from and before in ("from", "join", ",", "(")
            opener, commas = before, 0
            if after in ("select", "with", "values"):
                in_from = False
                if before not in ("as", "materialized"):
                    add("subquery")
            elif before == "as":
                opener = "over"
        elif word == ")":
            scalar = commas and opener in ("min", "max")
            if opener in _CLOSING and after not in ("over", "filter") and not scalar:
                add("aggregate")
            if outer:
                opener, commas, in_from = outer.pop()
        elif word == ",":
            commas += 1
            if in_from:
                add("comma_join")
        elif word in _ENDS_FROM:
            in_from = False
        elif word == "from":
            if before != "distinct" or words[at - 2] == "select":
                in_from = True
        elif word == "by":
            if before == "group":
                add("group_by")
            elif before == "order" and opener != "over" and opener not in AGGREGATES:
                add("order_by")
        elif word == "join":
            add("join")
        elif word == "left":
            if after == "join" or (after == "outer" and words[at + 2 : at + 3] == ["join"]):
                add("left_join")
        elif word == "*":
            if before in ("select", "distinct", "all", ",", "."):
                add("star")
            elif before not in _BEFORE_EXPRESSION:
                add("arithmetic")
        elif word in ("+", "-", "/", "%"):
            if before not in _BEFORE_EXPRESSION:
                add("arithmetic")
        elif word == "distinct":
            if before == "(":
                add("distinct_aggregate")
            elif before not in ("is", "not"):
                add("distinct")
        elif word == "not":
            if after == "null":
                add("is_null")
            elif before != "is" and after not in ("materialized", "indexed"):
                add("not")
        elif word == "is":
            if after == "null":
                add("is_null")
        elif word == "with":
            if before in ("", "("):
                add("cte")
                if after == "recursive":
                    add("recursive_cte")
        elif word == "over":
            if before == ")":
                add("window")
        elif word == "cast":
            if after == "(":
                add("cast")
        elif word in _DATES:
            if after == "(":
                add("date_function")
        elif before == "not" or before not in _NO_OPERAND:
            add("like")
    if "join" in names or "comma_join" in names:
        add("multiple_tables")
    return frozenset(names)
