"""Random queries over columns of many types: calls and operators, most of them of wrong types.

``PLACES`` are pairs of queries in whose first an expression stands where a rule may drop it, or that
say the same with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

PLACES = (
    ("SELECT id FROM t ORDER BY {e}", "SELECT id FROM t"),
    ("SELECT id FROM t ORDER BY id, {e}", "SELECT id FROM t ORDER BY id"),
    ("SELECT x.id FROM (SELECT id, {e} AS e FROM t) x", "SELECT id FROM t"),
    ("SELECT count(*) FROM (SELECT {e} AS e FROM t) x", "SELECT count(*) FROM t"),
    ("WITH w AS (SELECT {e} AS e FROM t) SELECT id FROM t", "SELECT id FROM t"),
    (
        "SELECT id FROM t WHERE EXISTS (SELECT {e} FROM t z WHERE z.id > t.id)",
        "SELECT id FROM t WHERE EXISTS (SELECT 1 FROM t z WHERE z.id > t.id)",
    ),
    (
        "SELECT t.id FROM t LEFT JOIN (SELECT id, {e} AS e FROM t) y ON y.id = t.id",
        "SELECT id FROM t",
    ),
    ("SELECT DISTINCT ON (id, {e}) id FROM t", "SELECT id FROM t"),
    ("SELECT DISTINCT ON ({e}) {e} FROM t", "SELECT DISTINCT {e} FROM t"),
    ("SELECT CASE WHEN TRUE THEN id ELSE {e} END FROM t", "SELECT id FROM t"),
    ("SELECT COALESCE(id, {e}) FROM t", "SELECT id FROM t"),
    ("SELECT id FROM t WHERE FALSE AND {e}", "SELECT id FROM t WHERE FALSE"),
    ("SELECT id FROM t WHERE 1 = 1 OR {e} IS NULL", "SELECT id FROM t"),
    ("SELECT id FROM t WHERE TRUE OR (SELECT max({e}) FROM t z) IS NULL", "SELECT id FROM t"),
    ("SELECT id FROM t WHERE NULLIF({e}, {f}) IS NULL OR TRUE", "SELECT id FROM t"),
    ("SELECT id FROM t WHERE id IN (SELECT id FROM t ORDER BY {e})", "SELECT id FROM t"),
    ("SELECT id FROM t GROUP BY id, {e}", "SELECT id FROM t"),
    ("SELECT i FROM t GROUP BY i HAVING count({e}) >= 0", "SELECT i FROM t GROUP BY i"),
    (
        "SELECT i, count(*) FROM t GROUP BY i ORDER BY max({e})",
        "SELECT i, count(*) FROM t GROUP BY i",
    ),
    (
        "SELECT id, row_number() OVER w FROM t WINDOW w AS (ORDER BY id), z AS (ORDER BY {e})",
        "SELECT id, row_number() OVER (ORDER BY id) FROM t",
    ),
    ("SELECT {e} AS e FROM t", "SELECT e FROM (SELECT {e} AS e FROM t) x"),
    ("SELECT {e} AS e, id FROM t", "SELECT DISTINCT {e} AS e, id FROM t"),
    ("SELECT id FROM t WHERE {e} = {f} AND i = 1", "SELECT id FROM t WHERE i = 1 AND {f} = {e}"),
    ("SELECT id FROM t WHERE {e} IN ({f}, {f})", "SELECT id FROM t WHERE {e} = {f}"),
    ("SELECT id FROM t WHERE {e}", "SELECT x.id FROM (SELECT * FROM t WHERE {e}) x"),
    ("SELECT sum({e}) FROM t", "SELECT sum(e) FROM (SELECT {e} AS e FROM t) x"),
    ("SELECT min({e}) FROM t", "SELECT min(DISTINCT {e}) FROM t"),
    ("SELECT id FROM t LIMIT {e}", "SELECT id FROM t LIMIT {e}"),
)
STATEMENTS = (
    "SELECT {e} AS e FROM t",
    "SELECT count(*) FROM t GROUP BY {e}",
    "SELECT DISTINCT {e} AS e, {f} AS f FROM t",
    "SELECT {e} AS e FROM t UNION SELECT {f} FROM t ORDER BY e",
    "SELECT '1' AS e UNION ALL SELECT {e} FROM t",
    "WITH w AS (SELECT {e} AS e FROM t) SELECT w.e = {f} FROM w CROSS JOIN t",
    "SELECT t.*, y.e FROM t LEFT JOIN LATERAL (SELECT {e} AS e) y ON y.e = {f}",
    "SELECT id FROM t WHERE (i, s) IN (SELECT {e}, {f} FROM t)",
    "SELECT sum({e}) FILTER (WHERE {f}) OVER (PARTITION BY i ORDER BY {e}) FROM t",
    "SELECT CASE {e} WHEN {f} THEN {f} ELSE {e} END FROM t",
    "SELECT id FROM t WHERE {e} = ANY(ARRAY[{f}, {e}])",
    "SELECT substring({e} FROM 1 FOR 2), position('a' IN {f}), ({e}) AT TIME ZONE 'UTC' FROM t",
    "SELECT lag({e}, 1, {f}) OVER (ORDER BY id), string_agg({e}, ',' ORDER BY {f}) OVER () FROM t",
)
"""Other statements, which PostgreSQL reads."""


@dataclass(frozen=True)
class Vocabulary:
    """What the queries of an engine are made of.

    Attributes:
        columns: The type of each column of the table ``t``, and values of it.
        functions: How many arguments each function takes.
        operators: Between two operands.
        literals: Constants.
        types: What a cast may name.
        cast: How a cast is written.
    """

    columns: Mapping[str, tuple[str, Sequence[str]]]
    functions: Mapping[str, Sequence[int]]
    operators: Sequence[str]
    literals: Sequence[str]
    types: Sequence[str]
    cast: str = "({e})::{type}"

    @property
    def table(self) -> str:
        """The declaration of the table."""
        columns = ", ".join(f"{name} {own}" for name, (own, _) in self.columns.items())
        return f"CREATE TABLE t (id INTEGER PRIMARY KEY, {columns})"

    def row(self, rng: Random, key: int) -> str:
        """The statement that adds a row."""
        cells = [rng.choice(("NULL", *values * 3)) for _, values in self.columns.values()]
        return f"INSERT INTO t VALUES ({', '.join([str(key), *cells])})"

    def expression(self, rng: Random, depth: int = 0) -> str:
        """An expression."""
        kind = rng.random() if depth < 2 else 1.0
        if kind < 0.35:
            name = rng.choice(sorted(self.functions))
            width = rng.choice(self.functions[name])
            inner = [self.expression(rng, depth + 1) for _ in range(width)]
            return f"{name}({', '.join(inner)})"
        if kind < 0.6:
            left, right = (self.expression(rng, depth + 1) for _ in range(2))
            return f"({left} {rng.choice(self.operators)} {right})"
        if kind < 0.7:
            inner = self.expression(rng, depth + 1)
            return self.cast.format(e=inner, type=rng.choice(self.types))
        if kind < 0.75:
            field, inner = rng.choice(("year", "hour", "month")), self.expression(rng, depth + 1)
            return f"EXTRACT({field} FROM {inner})"
        return rng.choice((*self.columns, *self.columns, *self.literals))

    def pair(self, rng: Random) -> tuple[str, str]:
        """Two queries of which one has an expression where it may be dropped, in any order."""
        parts = {"e": self.expression(rng), "f": self.expression(rng)}
        one, other = (text.format(**parts) for text in rng.choice(PLACES))
        return rng.choice(((one, other), (other, one)))

    def statement(self, rng: Random) -> str:
        """A query."""
        parts = {"e": self.expression(rng), "f": self.expression(rng)}
        return rng.choice((*STATEMENTS, *(one for one, _ in PLACES))).format(**parts)


_DAY, _MOMENT = "'2020-01-31'", "'2020-01-31 10:11'"
_UUID = "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"
_COMMON: Mapping[str, tuple[str, Sequence[str]]] = {
    "i": ("INTEGER", ("0", "1", "2", "-1")),
    "sm": ("SMALLINT", ("1", "2")),
    "big": ("BIGINT", ("0", "3")),
    "n": ("NUMERIC(8, 2)", ("0", "1.5")),
    "r": ("REAL", ("0", "2.5")),
    "f": ("DOUBLE PRECISION", ("0", "1.5")),
    "s": ("TEXT", ("'a'", "'1'", "''", _DAY)),
    "v": ("VARCHAR(20)", ("'a'", "'b1'")),
    "d": ("DATE", (_DAY, "'2021-02-01'")),
    "ts": ("TIMESTAMP", (_MOMENT,)),
    "tz": ("TIMESTAMP WITH TIME ZONE", (_MOMENT,)),
    "tm": ("TIME", ("'10:11'",)),
    "iv": ("INTERVAL", ("INTERVAL '1 day'", "INTERVAL '2 months'")),
    "ok": ("BOOLEAN", ("true", "false")),
    "uu": ("UUID", (_UUID,)),
}
_NOT_MYSQL = ("ts", "tz", "iv", "uu")
_LITERALS = ("1", "1.5", "'a'", "'1'", _DAY, "NULL", "INTERVAL '1 day'", "true", "current_date")
_TYPES = ("int", "varchar", "numeric(8, 2)", "date", "timestamp", "boolean", "time", "interval")


def postgres_vocabulary() -> Vocabulary:
    """The words of PostgreSQL, with the functions of its catalogue that give one value."""
    from sqlverdict.execute.engines.postgres.common.expressions import FUNCTIONS
    from sqlverdict.execute.engines.postgres.types.signatures import catalogue

    known = catalogue().functions
    functions = {
        name: sorted({len(declared) for declared, _ in known[name]})
        for name in FUNCTIONS
        if name in known and name not in ("extract", "position", "overlay")
    }
    own: Mapping[str, tuple[str, Sequence[str]]] = {
        "c": ("CHAR(3)", ("'a'", "'ab'")),
        "js": ("JSON", ("""'{"a": 1}'""",)),
        "jb": ("JSONB", ("""'{"a": 1}'""", "'[1]'")),
        "ar": ("INTEGER[]", ("'{1,2}'", "'{}'")),
        "sa": ("TEXT[]", ("'{a,b}'",)),
        "bl": ("BYTEA", (r"'\x00'",)),
        "rg": ("INT4RANGE", ("'[1,3)'",)),
    }
    operators = ("+", "-", "*", "/", "%", "||", "=", "<", "<>", "~", "LIKE", "->", "->>", "@>")
    literals = (*_LITERALS, "'{1,2}'", """'{"a":1}'""", "now()", "10000000000")
    types = (*_TYPES, "text", "jsonb", "uuid", "int[]", "char(2)")
    return Vocabulary({**_COMMON, **own}, functions, operators, literals, types)


def duckdb_vocabulary() -> Vocabulary:
    """The words of DuckDB, with the functions whose calls may stand in a proof."""
    from sqlverdict.execute.engines.duckdb.expressions import FUNCTIONS

    functions = {name: (1, 2, 3) for name in FUNCTIONS if name.isidentifier()}
    own: Mapping[str, tuple[str, Sequence[str]]] = {
        "hu": ("HUGEINT", ("5",)),
        "ar": ("INTEGER[]", ("[1, 2]", "[]")),
        "sa": ("VARCHAR[]", ("['a']",)),
        "bl": ("BLOB", ("'x'",)),
        "st": ("STRUCT(a INTEGER)", ("{'a': 1}",)),
    }
    operators = ("+", "-", "*", "/", "//", "%", "||", "=", "<", "<>", "LIKE", "~", "->>")
    literals = (*_LITERALS, "[1]", "'month'", "'%Y'")
    types = (*_TYPES, "uuid", "int[]", "blob", "hugeint")
    return Vocabulary({**_COMMON, **own}, functions, operators, literals, types)


def mysql_vocabulary() -> Vocabulary:
    """The words of MySQL and MariaDB, with the functions whose calls may stand in a proof."""
    from sqlverdict.execute.engines.mysql.common.pure_functions import COMMON_FUNCTIONS, KINDS

    special = {"cast", "extract", "timestampdiff", "timestampadd", "date_add", "date_sub"}
    functions = dict.fromkeys((KINDS.keys() | COMMON_FUNCTIONS) - special, (1, 2, 3))
    common = {name: each for name, each in _COMMON.items() if name not in _NOT_MYSQL}
    own: Mapping[str, tuple[str, Sequence[str]]] = {
        "dt": ("DATETIME", (_MOMENT,)),
        "yr": ("YEAR", ("2020",)),
        "bl": ("BLOB", ("'x'",)),
        "en": ("ENUM('a', 'b')", ("'a'", "'b'")),
    }
    operators = ("+", "-", "*", "/", "%", "=", "<", "<>", "<=>", "LIKE", "AND", "|")
    literals = ("1", "1.5", "'a'", "'1'", _DAY, "NULL", "true", "current_date", "DATE '2020-01-31'")
    types = ("CHAR", "SIGNED", "UNSIGNED", "DECIMAL(5, 2)", "DATE", "DATETIME", "TIME", "BINARY")
    return Vocabulary(
        {**common, **own}, functions, operators, literals, types, "CAST({e} AS {type})"
    )
