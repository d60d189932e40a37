"""Random queries from a grammar of SQLite's SELECT: what parsers read differently.

Texts are written word by word and without regard to how operators bind, so that precedence,
parentheses, spellings of literals and names, forms of IN, joins, set operations and windows
meet in ways that no list of examples has. Many do not run; SQLite says which. ``SCHEMA`` and
``ROWS`` are tables for them, with values of mixed types.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

SCHEMA = """
CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b, s TEXT, r REAL);
CREATE TABLE u (id INTEGER PRIMARY KEY, a INT, s TEXT, n NUMERIC);
CREATE TABLE y (b INTEGER);
CREATE TABLE "order" ("group" TEXT, "x y" INTEGER, "it""s" TEXT);
"""
ROWS = """
INSERT INTO t VALUES (1, 5, 5, 'a', 2.5), (2, 0, '5', '1', 0.0), (3, -3, 'B', 'A', -1.5),
  (4, NULL, NULL, NULL, NULL), (5, 1, 1.0, 'a%', 1.0), (6, 2, x'35', '{"k": [1, 2]}', 1e3);
INSERT INTO u VALUES (1, 1, 'a', 5), (2, 5, 'b', '2.5'), (3, NULL, 'A', NULL), (7, 2, NULL, 'x');
INSERT INTO y VALUES (5), (1), (NULL);
INSERT INTO "order" VALUES ('a', 1, 'q'), ('b', 5, NULL), (NULL, NULL, 'a');
"""

_TABLES = {
    "t": ("id", "a", "b", "s", "r"),
    "u": ("id", "a", "s", "n"),
    "y": ("b",),
    '"order"': ('"group"', '"x y"', '"it""s"'),
}
_LITERALS = (
    *("0", "1", "2", "5", "-1", "+2", "1.5", ".5", "5.", "1e3", "1E-2", "0x1F", "0Xff", "1e400"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775808", "007"),
    *("'a'", "'A'", "'1'", "'it''s'", "''", "'%'", "x'35'", "X'61'", "NULL", "TRUE", "false"),
    *("'2020-01-31'", '"a"', '"no such"', "current_date IS NULL", "'{\"k\": 1}'"),
)
_BINARY = (
    *("+", "-", "*", "/", "%", "||", "=", "==", "<>", "!=", "<", "<=", ">", ">=", "AND", "OR"),
    *("&", "|", "<<", ">>", "IS", "IS NOT", "IS DISTINCT FROM", "IS NOT DISTINCT FROM", "LIKE"),
    *("NOT LIKE", "GLOB", "NOT GLOB", "->", "->>"),
)
_PREFIXES = ("-", "+", "~", "NOT ", "- -", "+ -", "NOT NOT ")
_SUFFIXES = (
    *(" ISNULL", " NOTNULL", " NOT NULL", " IS NULL", " IS NOT NULL", " COLLATE NOCASE"),
    *(" COLLATE binary", " COLLATE RTRIM", " IS TRUE", " IS NOT FALSE"),
)
_TYPES = (
    *("INTEGER", "INT", "TEXT", "REAL", "NUMERIC", "BLOB", "DECIMAL(10, 2)", "VARCHAR(3)", "FLOAT"),
    *("DOUBLE PRECISION", "BOOLEAN", "DATE", "STRING", "CHAR", "BIGINT", "UNSIGNED BIG INT"),
    *("FLOATING POINT", "NVARCHAR(10)", "JSON", "BINARY"),
)
_CALLS = (
    *("abs(%s)", "length(%s)", "upper(%s)", "lower(%s)", "typeof(%s)", "hex(%s)", "quote(%s)"),
    *("ifnull(%s, %s)", "coalesce(%s, %s, %s)", "nullif(%s, %s)", "iif(%s, %s, %s)"),
    *("substr(%s, %s)", "substring(%s, 1, 2)", "instr(%s, %s)", "replace(%s, %s, %s)"),
    *("max(%s, %s)", "min(%s, %s)", "round(%s)", "round(%s, 1)", "trim(%s)", "ltrim(%s, %s)"),
    *("date(%s)", "strftime('%%Y', %s)", "likely(%s)", "unicode(%s)", "char(%s)"),
    "printf('%%d', %s)",
)
_AGGREGATES = (
    *("count(*)", "count(%s)", "count(DISTINCT %s)", "sum(%s)", "avg(%s)", "min(%s)", "max(%s)"),
    *("total(%s)", "sum(DISTINCT %s)", "count(%s) FILTER (WHERE %s)", "sum(%s) FILTER (WHERE %s)"),
)
_WINDOWS = (
    *("", "PARTITION BY %s", "ORDER BY id", "PARTITION BY %s ORDER BY id DESC"),
    "ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
    "ORDER BY id ROWS UNBOUNDED PRECEDING",
    "ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW",
    "ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
)
_JOINS = (
    *(", ", " JOIN ", " INNER JOIN ", " CROSS JOIN ", " LEFT JOIN ", " LEFT OUTER JOIN "),
    *(" NATURAL JOIN ", " NATURAL LEFT JOIN ", " RIGHT JOIN ", " FULL JOIN "),
)
_SETS = (" UNION ", " UNION ALL ", " INTERSECT ", " EXCEPT ")


class Grammar:
    """Queries, one after the other; the same seed gives the same queries.

    Args:
        seed: Where chance begins.
        depth: How deep expressions and queries nest.
    """

    def __init__(self, seed: int, depth: int = 3) -> None:
        self.rng = Random(seed)
        self.depth = depth
        self._columns: list[str] = ["1"]

    def query(self) -> str:
        """One query."""
        return self._statement(self.depth)

    def _pick(self, among: Sequence[str]) -> str:
        return self.rng.choice(among)

    def _chance(self, share: float) -> bool:
        return self.rng.random() < share

    def _statement(self, depth: int) -> str:
        with_ = ""
        if depth > 1 and self._chance(0.12):
            hint = self._pick(("", "", " MATERIALIZED", " NOT MATERIALIZED"))
            width = self.rng.randint(1, 2)
            names = self._pick(("", f"({', '.join(('a', 'b')[:width])})"))
            with_ = f"WITH w{names} AS{hint} ({self._select(depth - 1, width)}) "
        width = self.rng.randint(1, 3)
        text = self._select(depth, width, cte=bool(with_))
        if self._chance(0.15):
            for _ in range(self.rng.randint(1, 2)):
                text += self._pick(_SETS) + self._select(depth - 1, width, cte=bool(with_))
            text += self._pick(("", "", " ORDER BY 1", " ORDER BY 1 DESC LIMIT 2"))
        elif self._chance(0.3):
            text += f" ORDER BY {self._order(depth)}"
            limits = ("", "", " LIMIT 2", " LIMIT 2 OFFSET 1", " LIMIT 1, 2", " LIMIT -1")
            text += self._pick(limits)
        return with_ + text

    def _order(self, depth: int) -> str:
        way = self._pick(("", " ASC", " DESC", " COLLATE NOCASE DESC", " DESC NULLS LAST"))
        return f"{self._pick(('1', self._expression(depth - 1)))}{way}"

    def _select(self, depth: int, width: int, *, cte: bool = False) -> str:
        outer = self._columns
        source = self._from(depth, cte=cte)
        distinct = self._pick(("", "", "", "DISTINCT ", "ALL "))
        group = having = ""
        if self._chance(0.15):
            items = [self._aggregate(depth) for _ in range(width)]
            if self._chance(0.7):
                key = self._expression(0)
                items[0] = key
                group = f" GROUP BY {self._pick((key, '1'))}"
                having = self._pick(("", f" HAVING {self._aggregate(depth)} > 1"))
        elif self._chance(0.06) and "id" in self._columns:
            items = [self._window(depth) for _ in range(width)]
        else:
            items = [self._expression(depth) for _ in range(width)]
            if width > 1 and self._chance(0.1):
                items = [self._pick(("*", "t.*"))]
        result_columns = [f"{item}{self._pick(('', '', ' AS c', ' x'))}" for item in items]
        where = f" WHERE {self._expression(depth)}" if self._chance(0.5) else ""
        self._columns = outer
        return f"SELECT {distinct}{', '.join(result_columns)}{source}{where}{group}{having}"

    def _from(self, depth: int, *, cte: bool) -> str:
        if self._chance(0.06):
            self._columns = ["1", "'a'"]
            return ""
        count = self._pick(("1", "1", "1", "2", "2", "3"))
        text, columns = "", list[str]()
        for number in range(int(count)):
            item, names = self._source(depth, number, cte=cte)
            if not text:
                text = f" FROM {item}"
            else:
                join = self._pick(_JOINS)
                shared = sorted({"a", "id", "s"}.intersection(columns, names))
                using = f" USING ({self._pick(shared)})" if shared and self._chance(0.3) else ""
                on = using or self._pick(("", f" ON {self._on(columns, names)}"))
                text += join + item + ("" if "NATURAL" in join else on)
            columns += names
        self._columns = columns
        return text

    def _on(self, before: Sequence[str], names: Sequence[str]) -> str:
        return f"{self._pick(before)} {self._pick(('=', '>', 'IS'))} {self._pick(names)}"

    def _source(self, depth: int, number: int, *, cte: bool) -> tuple[str, list[str]]:
        if cte and self._chance(0.5):
            return f"w AS s{number}", [f"s{number}.a", "b"]
        if depth > 1 and self._chance(0.12):
            inner = self._select(depth - 2, 2)
            return f"({inner}) AS s{number}", [f"s{number}.c", f"s{number}.x", "c"]
        table = self._pick(tuple(_TABLES))
        alias = self._pick((f" AS s{number}", f" s{number}", ""))
        name = alias.split()[-1] if alias else table
        columns = _TABLES[table]
        spellings = [self._spelling(column) for column in columns]
        return table + alias, [*(f"{name}.{column}" for column in columns), *spellings[number:]]

    def _spelling(self, name: str) -> str:
        if name.startswith('"'):
            return name
        return self._pick((name, name, name.upper(), f'"{name}"', f"`{name}`", f"[{name}]"))

    def _expression(self, depth: int) -> str:
        if depth <= 0:
            return self._pick(self._columns) if self._chance(0.6) else self._pick(_LITERALS)
        makers: tuple[Callable[[int], str], ...] = (
            *(self._binary,) * 6,
            *(self._unary, self._suffixed, self._between, self._parentheses, self._in) * 2,
            *(self._case, self._cast, self._call, self._like, self._subquery, self._row),
            *(lambda _: self._expression(0),) * 4,
        )
        return self.rng.choice(makers)(depth)

    def _binary(self, depth: int) -> str:
        parts = [self._expression(depth - 1)]
        for _ in range(self.rng.randint(1, 2)):
            parts += [self._pick(_BINARY), self._expression(depth - 1)]
        return " ".join(parts)

    def _unary(self, depth: int) -> str:
        return self._pick(_PREFIXES) + self._expression(depth - 1)

    def _suffixed(self, depth: int) -> str:
        return self._expression(depth - 1) + self._pick(_SUFFIXES)

    def _between(self, depth: int) -> str:
        parts = [self._expression(depth - 1) for _ in range(3)]
        return f"{parts[0]} {self._pick(('', 'NOT '))}BETWEEN {parts[1]} AND {parts[2]}"

    def _parentheses(self, depth: int) -> str:
        count = self.rng.randint(1, 2)
        return "(" * count + self._expression(depth - 1) + ")" * count

    def _in(self, depth: int) -> str:
        values = ", ".join(self._expression(0) for _ in range(self.rng.randint(0, 3)))
        table = self._pick(("t", "u"))
        query = f"SELECT {self._pick(('a', 'id', 's'))} FROM {table}"
        right = self._pick(
            (
                f"({values})",
                f"({query})",
                f"(({query}))",
                f"(({query}), {self._expression(0)})",
                "y",
                f"({query} WHERE {self._expression(0)})",
                f"({query} UNION SELECT 5)",
                f"({query} ORDER BY 1 LIMIT 1)",
                "(VALUES (1), (5))",
            )
        )
        return f"{self._expression(depth - 1)} {self._pick(('', 'NOT '))}IN {right}"

    def _case(self, depth: int) -> str:
        base = self._pick(("", f" {self._expression(depth - 1)}"))
        other = self._pick(("", f" ELSE {self._expression(0)}"))
        when = f" WHEN {self._expression(depth - 1)} THEN {self._expression(0)}"
        return f"CASE{base}{when}{other} END"

    def _cast(self, depth: int) -> str:
        return f"CAST({self._expression(depth - 1)} AS {self._pick(_TYPES)})"

    def _call(self, depth: int) -> str:
        return self._filled(self._pick(_CALLS), depth)

    def _aggregate(self, depth: int) -> str:
        return self._filled(self._pick(_AGGREGATES), depth)

    def _window(self, depth: int) -> str:
        calls = ("row_number()", "rank()", "count(*)", "sum(%s)", "lag(%s)", "first_value(%s)")
        over = self._filled(self._pick(_WINDOWS), depth)
        return f"{self._filled(self._pick(calls), depth)} OVER ({over})"

    def _filled(self, form: str, depth: int) -> str:
        holes = form.replace("%%", "").count("%s")
        return form % tuple(self._expression(min(depth - 1, 1)) for _ in range(holes))

    def _like(self, depth: int) -> str:
        left, right = self._expression(depth - 1), self._pick(("'a%'", "'A_'", "'xa%'", "s"))
        escape = self._pick(("", "", " ESCAPE 'a'", " ESCAPE '\\'"))
        return f"{left} {self._pick(('', 'NOT '))}LIKE {right}{escape}"

    def _subquery(self, depth: int) -> str:
        outer = self._columns
        inner = self._select(depth - 2, 1)
        self._columns = outer
        return self._pick((f"({inner})", f"EXISTS ({inner})", f"NOT EXISTS ({inner})"))

    def _row(self, depth: int) -> str:
        left = f"({self._expression(0)}, {self._expression(0)})"
        right = self._pick((f"({self._expression(0)}, 1)", "(SELECT a, id FROM u)"))
        return f"{left} {self._pick(('=', '<', 'IS', 'IN'))} {right}" if depth else "1"
