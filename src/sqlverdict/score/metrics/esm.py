"""ESM: Spider's exact set match, whether two queries have the same clauses.

Definition:
    value = 1 if the prediction matches any gold clause by clause, else 0. Nothing is run. Both
    queries are cut into SELECTs, joined by the same set operations in the same order, and each
    SELECT into clauses:

    - FROM: the same tables, each as often. Conditions of joins do not count.
    - SELECT: the same expressions with their aggregates, in any order. DISTINCT does not count.
    - WHERE: the same conditions (negation, left side, operator), in any order, and the same set
      of AND and OR between them; parentheses do not count.
    - GROUP BY with HAVING: the same columns and the same conditions, in the same order.
    - ORDER BY: the same expressions in the same order, the same direction (that of the last one
      that names any), LIMIT in both or in neither. The number in LIMIT does not count.
    - Keywords: the same of WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OR, NOT, IN and LIKE.

    Columns count as one where foreign keys join them and their table is in the first FROM. A
    query inside a condition or in FROM counts as it stands: every clause, in the order of the
    text, DISTINCT included.

    A bare ``esm`` is ``esm[components]``, Spider's default: what conditions compare with does
    not count unless it is a query, and DISTINCT inside aggregates does not count.
    ``esm[values]`` counts both. ``esm[script]`` is the number that Spider's script prints, as
    published tables have it: ``components``, and 0 where the script's parser does not read the
    prediction, or does not read any gold. Before it reads a prediction, the script writes ``1``
    for each ``value`` in it, a mark of systems that predict no values; it does so inside names as
    well, so that a prediction with the column ``attribute_value`` is 0.

    In the other two, what Spider's own parser rejects is read all the same. Another way to write
    the same thing (INNER JOIN, aliases of columns and tables, ``<>``, numbers in ORDER BY, a value
    before the column, WITH in place of a query in FROM) does not count; what Spider has no word
    for (outer joins, CASE, functions, windows, UNION ALL) matches nothing but itself.

    Hand calculation: against the gold ``SELECT name, age FROM person WHERE age > 20``, the
    prediction ``SELECT p.age, p.name FROM person AS p WHERE p.age > 30`` is 1 as ``components``
    and 0 as ``values``; ``SELECT name FROM person WHERE age > 20`` is 0 as either. The means of
    the two are 1 / 2 and 0.

Range:
    {0, 1}

Direction:
    Higher is better. Equal clauses do not prove equal queries (join conditions are not seen),
    and queries of the same meaning may have other clauses.

Unscored cases:
    No schema is known (``DATABASE_UNAVAILABLE``: give the run a database or a schema); no gold
    can be read (``GOLD_SUSPECT``); a query that our parser cannot read though the engine might
    (``UNSUPPORTED_FEATURE``, ``BUDGET_EXHAUSTED``). A prediction with a syntax error, with
    several statements or with a statement that is no query is scored: 0.

Source:
    Yu et al., Spider (EMNLP 2018), exact matching; the verdicts of the published script for what
    the paper leaves open. Written anew on our own trees.
"""

from __future__ import annotations

from sqlverdict.compare.exact_set.match import exact_set_match
from sqlverdict.compare.exact_set.script_grammar import script_accepts
from sqlverdict.parse.tokens import leading_keyword, statement_count
from sqlverdict.records import ParseFailure, Query, Reason, Score
from sqlverdict.score.metric import METRICS, Item, Need

_VALUE = ("value", "1")
"""What the script replaces in a prediction, in lower case alone, and by what."""
_OURS = frozenset({Reason.UNSUPPORTED_FEATURE, Reason.BUDGET_EXHAUSTED})


@METRICS.member
class Esm:
    """Spider's exact set match."""

    name = "esm"
    version = 4
    needs: frozenset[Need] = frozenset()
    parameters: tuple[str, ...] = ("components", "values", "script")
    binary = True

    def score(self, item: Item, parameter: str) -> Score:
        """1 where every clause matches a gold's."""
        schema = item.schema()
        if schema is None:
            return Score(None, (Reason.DATABASE_UNAVAILABLE,))
        golds = [item.query(gold) for gold in item.case.golds]
        readable = [gold for gold in golds if isinstance(gold, Query)]
        if not readable:
            beyond = {gold.reason for gold in golds if isinstance(gold, ParseFailure)} & _OURS
            return Score(None, (*sorted(beyond),) or (Reason.GOLD_SUSPECT,))
        text = item.prediction.sql or ""
        if parameter == "script":
            text = text.replace(*_VALUE)
            readable = [gold for gold in readable if script_accepts(gold.sql, schema)]
            if not readable or not script_accepts(text, schema):
                return Score(0.0, (Reason.UNSUPPORTED_FEATURE,))
        prediction = item.query(text)
        if isinstance(prediction, ParseFailure):
            return Score(None if _is_our_limit(prediction) else 0.0, (prediction.reason,))
        all_count = parameter == "values"
        matches = [
            exact_set_match(gold, prediction, schema, values=all_count, distinct=all_count).equal
            for gold in readable
        ]
        if not any(matches) and None in matches:
            return Score(None, (Reason.BUDGET_EXHAUSTED,))
        return Score(float(any(matches)))


def _is_our_limit(failure: ParseFailure) -> bool:
    """Whether a text might be one query that only our parser cannot read."""
    if failure.reason is not Reason.UNSUPPORTED_FEATURE:
        return failure.reason is Reason.BUDGET_EXHAUSTED
    return leading_keyword(failure.sql) != "EXPLAIN" and statement_count(failure.sql) == 1
