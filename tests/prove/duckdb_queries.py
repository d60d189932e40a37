"""Random queries with DuckDB's own forms, and pairs of them that look the same."""

from __future__ import annotations

from random import Random

_VALUES = (
    *(
        "t.a",
        "t.b",
        "t.s",
        "t.ok",
        "t.l[1]",
        "t.l[-1]",
        "t.st.x",
        "t.st['y']",
        "t.s[1]",
        "t.s[1:2]",
    ),
    *("t.a::VARCHAR", "t.s::INT", "TRY_CAST(t.s AS INT)", "t.a // t.b", "t.a // 2", "t.a % 2"),
    *(
        "t.a / t.b",
        "len(t.l)",
        "list_transform(t.l, lambda x: x + t.a)",
        "t.s.upper()",
        "t.r::VARCHAR",
    ),
    *("[x * 2 for x in t.l if x > 1]", "list_contains(t.l, t.a)", "date_trunc('month', t.ts)"),
    *("date_trunc('month', t.d)", "year(t.d)", "t.d + INTERVAL 1 DAY", "strftime(t.d, '%Y')"),
    *(
        "{'p': t.a, 'q': t.s}",
        "t.s || t.a",
        "if(t.a > 1, t.b, 0)",
        "coalesce(t.a, t.b)",
        "t.a ** 2",
    ),
    *(
        "list_sort(t.l)",
        "t.l[1:2]",
        "round(t.r, 1)",
        "t.r",
        "CASE WHEN t.b > 0 THEN t.a // t.b END",
    ),
)
_CONDITIONS = (
    *("t.a > 1", "t.b = 1", "t.l[1] = 1", "t.st.x > 1", "t.st['y'] = 'p'", "t.ok", "t.ok IS TRUE"),
    *("t.s ILIKE 'a%'", "t.s GLOB 'a*'", "t.a IN [1, 2]", "t.s = t.a", "t.s::INT > 0", "t.s > 'a'"),
    *(
        "t.a // t.b > 0",
        "t.b <> 0",
        "list_contains(t.l, 2)",
        "len(t.l) > 1",
        "regexp_matches(t.s, '^a')",
    ),
    *("year(t.d) = 2020", "t.d >= DATE '2020-02-01'", "t.ts > t.d", "t.a IS NOT DISTINCT FROM t.b"),
    *("list_filter(t.l, lambda x: x > 1) = [2]", "(t.a > 1 OR t.l[2] = 2)", "t.a + t.b > 2"),
)
_WINDOWS = (
    *("row_number() OVER (PARTITION BY t.a ORDER BY t.id)", "rank() OVER (ORDER BY t.b)"),
    *("rank() OVER (ORDER BY t.b DESC)", "rank() OVER (ORDER BY t.b NULLS FIRST)"),
    *("dense_rank() OVER (PARTITION BY t.s ORDER BY t.a)", "count(*) OVER (PARTITION BY t.a)"),
    *("sum(t.b) OVER (PARTITION BY t.a)", "max(t.b) OVER (PARTITION BY t.a ORDER BY t.id)"),
    *("rank() OVER (PARTITION BY t.ok ORDER BY t.b, t.id)", "min(t.a) OVER ()"),
)
_SOURCES = (
    *[("t", "t")] * 4,
    ("t JOIN u ON t.id = u.t_id", "u JOIN t ON u.t_id = t.id"),
    ("t JOIN u ON t.id = u.t_id", "t JOIN u ON (t.id = u.t_id)"),
    ("t LEFT JOIN u ON t.id = u.t_id", "t LEFT JOIN u ON u.t_id = t.id"),
    ("t SEMI JOIN u ON t.id = u.t_id", "t SEMI JOIN u ON u.t_id = t.id"),
    ("t ANTI JOIN u ON t.id = u.t_id", "t ANTI JOIN u ON u.t_id = t.id"),
    ("t SEMI JOIN u ON t.id = u.t_id", "t JOIN u ON u.t_id = t.id"),
    ("u LEFT JOIN t ON t.id = u.t_id", "u JOIN t ON t.id = u.t_id"),
)
_GROUPED = ("t.a", "t.s", "t.st.x", "t.l[1]", "t.a // 2", "year(t.d)", "t.ok", "t.st", "t.l", "t.r")
_SUMS = ("count(*)", "sum(t.b)", "max(t.b)", "avg(t.a)", "count(t.l[1])", "min(t.s)", "mean(t.r)")
_FORMS = (
    "FROM u WHERE a > {n}",
    "FROM u SELECT a, c WHERE c > {n}",
    "SELECT * EXCLUDE ({c}) FROM u",
    "SELECT * EXCLUDE ({c}) FROM t JOIN u ON t.id = u.t_id WHERE u.a > {n}",
    "SELECT * REPLACE (a + {n} AS a) FROM u",
    "SELECT * EXCLUDE (c) REPLACE ({n} AS t_id) FROM u",
    "SELECT * RENAME ({c} AS z) FROM u WHERE a > {n}",
    "SELECT u.* EXCLUDE ({c}), t.b FROM t JOIN u ON t.id = u.t_id",
    "SELECT z FROM (SELECT * RENAME ({c} AS z) FROM u) WHERE z > {n}",
    "SELECT COLUMNS('{c}') FROM u",
    "SELECT min(COLUMNS('{c}')) FROM u",
    "SELECT max(COLUMNS(* EXCLUDE (id))) FROM u",
    "SELECT COLUMNS(lambda x: x LIKE '%{c}%') FROM u",
    "SELECT * LIKE '%{c}%' FROM u",
    "SELECT id FROM u WHERE COLUMNS(['a', '{c}']) > {n}",
    "SELECT {c}, sum(a) FROM u GROUP BY ALL",
    "SELECT {c}, a, count(*) AS k FROM u GROUP BY ALL HAVING k > {n}",
    "SELECT {c} + 1 AS k, count(*) FROM u GROUP BY ALL HAVING k > {n}",
    "SELECT count(*), max({c}) FROM u GROUP BY ALL",
    "SELECT {c}, {n}, count(*) FROM u GROUP BY ALL",
    "SELECT *, count(*) FROM u GROUP BY ALL",
    "SELECT {c}, sum(a) FROM u GROUP BY ALL ORDER BY ALL LIMIT {n}",
    "SELECT id, {c} FROM u ORDER BY ALL DESC LIMIT {n}",
    "SELECT * FROM u ORDER BY ALL LIMIT {n}",
    "SELECT a, c FROM u UNION SELECT b, a FROM t ORDER BY ALL LIMIT {n}",
    "SELECT id FROM u QUALIFY rank() OVER (ORDER BY {c}) <= {n}",
    "SELECT * FROM u QUALIFY row_number() OVER (PARTITION BY a ORDER BY {c}, id) = {n}",
    "SELECT id, rank() OVER (ORDER BY {c}) AS k FROM u QUALIFY k = {n}",
    "SELECT a, c FROM u WHERE a > 0 QUALIFY count(*) OVER (PARTITION BY {c}) > {n} AND c > 0",
    "SELECT DISTINCT a FROM u QUALIFY rank() OVER (ORDER BY {c}) <= {n}",
    "SELECT id FROM u QUALIFY max({c}) OVER (PARTITION BY a) > {n} ORDER BY c, id LIMIT 2",
    "SELECT a, sum(c) AS k FROM u GROUP BY ALL QUALIFY rank() OVER (ORDER BY sum(c)) <= {n}",
    "PIVOT u ON a IN ({n}, 2) USING count(*)",
    "PIVOT u ON a IN ({n}) USING sum(c), count(*) AS k GROUP BY t_id",
    "PIVOT (SELECT a, c FROM u) ON a IN ({n}) USING max(c)",
    "PIVOT t ON s IN ('a', 'b') USING sum(b) GROUP BY ok",
    "SELECT * FROM u PIVOT (max(id) FOR a IN ({n}, 7) GROUP BY c)",
    "SELECT t.id FROM t SEMI JOIN u ON t.id = u.t_id AND u.{c} > {n}",
    "SELECT t.id FROM t ANTI JOIN u ON t.id = u.t_id WHERE t.a > {n}",
    "SELECT t.b FROM t SEMI JOIN u USING (a)",
    "SELECT id, a FROM u UNION ALL BY NAME SELECT a, id FROM t",
    "SELECT id, a FROM u UNION BY NAME SELECT b, a FROM t",
    "SELECT a AS k, k + {n} AS m, m * 2 FROM u",
    "SELECT a AS c, c FROM u",
    "SELECT a AS k FROM u WHERE k > {n}",
    "WITH x AS (FROM u SELECT * EXCLUDE (c)) FROM x SELECT * EXCLUDE (id) WHERE a > {n}",
    "FROM t JOIN u USING (a) SELECT * EXCLUDE (l, st, ts, d)",
    "SELECT if(a > {n}, 1, 2) FROM u WHERE a IN [0, {n}]",
)


def forms(rng: Random) -> str:
    """A query with a form of DuckDB's own."""
    form = rng.choice(_FORMS)
    return form.format(n=rng.choice((0, 1, 2, 3)), c=rng.choice(("a", "c", "t_id")))


class PairMaker:
    """Makes a query, and another one that looks the same."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def pair(self) -> tuple[str, str]:
        """Two queries."""
        rng = self._rng
        conditions = rng.sample(_CONDITIONS, rng.randrange(3))
        source, other = rng.choice(_SOURCES)
        others = list(conditions)
        rng.shuffle(others)
        match rng.randrange(4):
            case 0:
                return self._groups(source, conditions, other, others)
            case 1 if "JOIN" not in source:
                return self._windows(conditions, others)
        return self._rows(source, conditions, other, others)

    def _rows(
        self, source: str, conditions: list[str], other: str, others: list[str]
    ) -> tuple[str, str]:
        rng = self._rng
        values = [rng.choice(_VALUES) for _ in range(rng.choice((1, 1, 2)))] + ["t.id"]
        names = [f"x{number}" for number in range(len(values))]
        terms = ", ".join(f"{value} AS {name}" for value, name in zip(values, names, strict=True))
        values_text, columns = ", ".join(values), ", ".join(names)
        one = f"FROM {source} SELECT {values_text}{_where(conditions)}"
        other_one = rng.choice(
            [
                f"SELECT {values_text} FROM {other}{_where(others)}",
                f"SELECT DISTINCT {values_text} FROM {other}{_where(others)}",
                f"FROM (SELECT {terms} FROM {other}{_where(others)}) SELECT {columns}",
                f"SELECT {values_text} FROM {other}{_where(others)} GROUP BY ALL",
                f"WITH y AS (SELECT {terms}, t.* FROM {other}) SELECT {columns} FROM y AS t"
                f"{_where(conditions)}",
                f"SELECT {values_text} FROM (FROM t{_where(others)}) AS t",
                f"SELECT * FROM (SELECT {terms} FROM {other}{_where(others)}) ORDER BY ALL",
            ]
        )
        return one, other_one

    def _groups(
        self, source: str, conditions: list[str], other: str, others: list[str]
    ) -> tuple[str, str]:
        rng = self._rng
        key, value = rng.choice(_GROUPED), rng.choice(_SUMS)
        one = f"SELECT {key}, {value} FROM {source}{_where(conditions)} GROUP BY ALL"
        return one, rng.choice(
            [
                f"SELECT {key}, {value} FROM {other}{_where(others)} GROUP BY {key}",
                f"SELECT {key} AS k, {value} AS v FROM {other}{_where(others)} GROUP BY ALL",
                f"FROM (SELECT {key} AS k, {value} AS v FROM {other}{_where(others)} GROUP BY 1)",
                f"SELECT {key}, {value} FROM {other}{_where(others)} GROUP BY {key}, t.id",
                f"SELECT {key}, {value} FROM {other}{_where(others)} GROUP BY ALL ORDER BY ALL",
            ]
        )

    def _windows(self, conditions: list[str], others: list[str]) -> tuple[str, str]:
        rng = self._rng
        window, also = rng.choice(_WINDOWS), rng.choice(_CONDITIONS)
        one = f"SELECT t.id, t.b FROM t{_where(conditions)} QUALIFY {window} <= 2"
        inner = f"SELECT t.*, {window} AS w FROM t{_where(others)}"
        return one, rng.choice(
            [
                f"SELECT id, b FROM ({inner}) WHERE w <= 2",
                f"SELECT id, b FROM ({inner}) AS t WHERE w <= 2 AND {also}",
                f"SELECT id, b FROM (SELECT t.*, {window} AS w FROM t) AS t"
                f"{_where([*others, 'w <= 2'])}",
                f"SELECT id, b FROM t{_where(others)} QUALIFY {rng.choice(_WINDOWS)} <= 2",
                f"WITH x AS (SELECT id, b, {window} AS w FROM t{_where(others)}) "
                "FROM x SELECT id, b WHERE w < 3",
                f"SELECT DISTINCT id, b FROM ({inner}) WHERE w <= 2",
            ]
        )


def _where(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""
