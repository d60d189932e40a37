"""Queries that people write again and again, with a random part here and there."""

from __future__ import annotations

from collections.abc import Callable

from query_maker import TABLES, Item, Maker


def idiom(maker: Maker) -> str:
    """A query of a common kind."""
    item = Item("q0", TABLES[maker.pick("t", "u")])
    table = "t" if "r" in item.columns else "u"
    maker.scopes.append([item])
    maker.size = min(maker.size, 2)
    way = maker.rng.randrange(len(IDIOMS))
    text = IDIOMS[way](maker, table)
    maker.scopes.pop()
    return text


def maybe_where(maker: Maker) -> str:
    return f" WHERE {maker.condition()}" if maker.chance(50) else ""


def two_selects(maker: Maker, table: str) -> str:
    columns = ", ".join(maker.any_column() for _ in range(1 + maker.rng.randrange(2)))
    sides = [
        f"SELECT {columns} FROM {table} AS q0{maybe_where(maker)}",
        f"SELECT {columns} FROM {table} AS q0{maybe_where(maker)}",
    ]
    operator = maker.pick("UNION", "UNION", "UNION ALL", "INTERSECT", "EXCEPT")
    return f" {operator} ".join(sides)


def two_tables(maker: Maker, table: str) -> str:
    other, column = maker.pick("u.id", "u.t_id", "v.t_id", "v.a", "x.q", "u.w").split(".")
    where = f" WHERE {column} > 1" if maker.chance(30) else ""
    mine = maker.column("int") or "q0.id"
    first = f"SELECT {mine} FROM {table} AS q0{maybe_where(maker)}"
    operator = maker.pick("INTERSECT", "EXCEPT", "UNION")
    return f"{first} {operator} SELECT {column} FROM {other}{where}"


def top_row(maker: Maker, table: str) -> str:
    column, direction = maker.column("int"), maker.pick("", " DESC")
    columns = maker.pick(f"{column}", "q0.id", f"q0.id, {column}", f"{column}, q0.s")
    where = maybe_where(maker)
    extreme = maker.pick("MAX", "MIN")
    name = str(column).partition(".")[2]
    inner = f"SELECT {extreme}({name}) FROM {table}"
    return maker.pick(
        f"SELECT {columns} FROM {table} AS q0{where} ORDER BY {column}{direction} LIMIT 1",
        f"SELECT {columns} FROM {table} AS q0 WHERE {column} = ({inner})",
        f"SELECT {extreme}({column}) FROM {table} AS q0{where}",
        f"SELECT {columns} FROM {table} AS q0 WHERE q0.id = {maker.pick('1', '2')} LIMIT 1",
        f"SELECT COUNT(*), {column} FROM {table} AS q0 GROUP BY {column}"
        f" ORDER BY COUNT(*) DESC, {column} LIMIT 1",
    )


def share(maker: Maker, table: str) -> str:
    test, where = maker.predicate(), maybe_where(maker)
    count = maker.pick(
        f"SUM(CASE WHEN {test} THEN 1 ELSE 0 END)",
        f"COUNT(CASE WHEN {test} THEN 1 END)",
        f"COUNT(CASE WHEN {test} THEN q0.id END)",
        f"SUM({test})",
        f"SUM(IIF({test}, 1, 0))",
        "SUM(1)",
        f"SUM({maker.column('int')})",
        "COUNT(*)",
    )
    whole = maker.pick("COUNT(*)", "COUNT(q0.id)", "COUNT(q0.s)", "SUM(q0.id)")
    if maker.chance(25):
        whole = f"(SELECT COUNT(*) FROM {table}{' WHERE id > 1' if maker.chance(40) else ''})"
    text = maker.pick(
        f"CAST({count} AS REAL) / {whole}",
        f"{count} * 100.0 / {whole}",
        f"100 * CAST({count} AS FLOAT) / {whole}",
        f"{count} / {whole} * 1.0",
        f"AVG({maker.column('int')})",
        count,
    )
    return f"SELECT {text} FROM {table} AS q0{where}"


def without_partner(maker: Maker, table: str) -> str:
    other, column = maker.pick("u.t_id", "u.id", "v.t_id", "u.w", "v.a").split(".")
    mine = maker.column("int")
    tested = maker.pick(column, *TABLES[other])
    more = f" AND q1.{column} > 1" if maker.chance(25) else ""
    outer = f"SELECT q0.id FROM {table} AS q0"
    return maker.pick(
        f"{outer} LEFT JOIN {other} AS q1 ON {mine} = q1.{column}{more}"
        f" WHERE q1.{tested} IS {maker.pick('', 'NOT ')}NULL",
        f"{outer} WHERE {mine} NOT IN (SELECT {column} FROM {other})",
        f"{outer} WHERE NOT EXISTS (SELECT 1 FROM {other} AS q1 WHERE q1.{column} = {mine})",
        f"{outer} JOIN {other} AS q1 ON {mine} = q1.{column}{more}",
        f"SELECT DISTINCT q0.id FROM {table} AS q0, {other} AS q1 WHERE {mine} = q1.{column}",
    )


def one_value(maker: Maker, table: str) -> str:
    fixed = maker.pick("id = 1", "t_id = 1", "w = 2", "s = 'a'", "id = 1 AND w > 1")
    mine, comparator = maker.column("int"), maker.pick("=", "IN", ">", "!=")
    return (
        f"SELECT q0.id, q0.s FROM {table} AS q0 WHERE {mine} {comparator}"
        f" (SELECT {maker.pick('w', 'id', 't_id')} FROM u WHERE {fixed})"
    )


def often(maker: Maker, table: str) -> str:
    mine, column = maker.column("int"), maker.pick("t_id", "w", "id")
    count = f"{maker.pick('COUNT(*)', f'COUNT({column})', 'MAX(id)')} > {maker.pick('0', '1')}"
    return maker.pick(
        f"SELECT q0.s FROM {table} AS q0 WHERE {mine} IN"
        f" (SELECT {column} FROM u GROUP BY {column} HAVING {count})",
        f"SELECT q0.s FROM {table} AS q0 JOIN u AS q1 ON {mine} = q1.{column}"
        f" GROUP BY {maker.pick('q0.id', 'q0.s', str(mine))} HAVING COUNT(*) > 1",
        f"SELECT d.c FROM (SELECT {column} AS c, COUNT(*) AS n FROM u GROUP BY {column}) AS d"
        f" WHERE d.n > {maker.pick('0', '1')}",
        f"SELECT {maker.pick('1', 'd.n', 'COUNT(*)')} FROM (SELECT COUNT(*) AS n FROM u) AS d",
    )


def bounds(maker: Maker, table: str) -> str:
    a, b = maker.column("int"), maker.column("int")
    text = [
        maker.pick(
            f"{maker.pick(str(a), str(b))} {maker.pick('>', '>=', '<', '<=', '=')}"
            f" {maker.pick('1', '2', '3', '1.5')}",
            f"{a} - {b} {maker.pick('<', '>', '=', '>=')} 0",
            f"{a} IS {maker.pick('TRUE', 'NOT FALSE', '(1 = 1)', 'NOT NULL')}",
        )
        for _ in range(2 + maker.rng.randrange(2))
    ]
    where = maker.pick(" AND ", " AND ", " OR ").join(text)
    return f"SELECT q0.id, {a} FROM {table} AS q0 WHERE {where}"


IDIOMS: tuple[Callable[[Maker, str], str], ...] = (
    two_selects,
    two_tables,
    top_row,
    share,
    without_partner,
    one_value,
    often,
    bounds,
)
