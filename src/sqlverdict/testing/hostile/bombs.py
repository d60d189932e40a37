"""Texts that would run for ever, fill the memory or choke the parser."""

# ruff: noqa: S608 - SQL put together from pieces is the point here.

from __future__ import annotations

from collections.abc import Iterator

from sqlverdict.testing.hostile.kinds import ANSWERS, ANY, BIG, ENDLESS, WRONG, Hostile, named_texts

_COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "


def endless() -> Iterator[Hostile]:
    """Recursions without end and joins of everything."""
    crossed = ", ".join(f"person AS p{n}" for n in range(12))
    yield from named_texts(
        "endless",
        ENDLESS,
        {
            "count": f"{_COUNT}count(*) FROM n",
            "every row": f"{_COUNT}i FROM n",
            "two columns": f"{_COUNT}i, 'text ' || i FROM n",
            "sum": f"{_COUNT}sum(i * 1.0) FROM n",
            "never true": f"{_COUNT}i FROM n WHERE i < 0",
            "constant": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n) "
            "SELECT count(*) FROM n",
            "union keeps all": "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) "
            "SELECT max(i) FROM n",
            "doubling rows": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n, "
            "(SELECT 1 UNION ALL SELECT 2)) SELECT count(*) FROM n",
            "growing text": "WITH RECURSIVE n(t) AS (SELECT 'x' UNION ALL SELECT t || t FROM n) "
            "SELECT length(t) FROM n",
            "slowly growing text": "WITH RECURSIVE n(t) AS (SELECT 'x' UNION ALL SELECT t || 'x' "
            "FROM n) SELECT max(length(t)) FROM n",
            "ordered": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n ORDER BY 1 "
            "DESC) SELECT count(*) FROM n",
            "blobs": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT zeroblob(1000000) FROM n",
            "kept blobs": "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT count(DISTINCT CAST(i || zeroblob(100000) AS BLOB)) FROM n",
            "subquery": f"SELECT name FROM person WHERE id IN ({_COUNT}i FROM n)",
            "exists": f"SELECT name FROM person WHERE EXISTS ({_COUNT}i FROM n WHERE i < 0)",
            "row by row": "SELECT (WITH RECURSIVE n(i) AS (SELECT p.id UNION ALL SELECT i + 1 "
            "FROM n) SELECT count(*) FROM n) FROM person AS p",
            "mandelbrot": "WITH RECURSIVE m(x, y, k) AS (SELECT 0.0, 0.0, 0 UNION ALL SELECT "
            "x*x - y*y + 0.3, 2*x*y + 0.02, k + 1 FROM m) SELECT max(k) FROM m",
            "cross join count": f"SELECT count(*) FROM {crossed}",
            "cross join rows": f"SELECT * FROM {crossed}",
            "cross join order": f"SELECT p0.name FROM {crossed} ORDER BY p1.height * p2.height",
            "cross join distinct": f"SELECT DISTINCT p0.id, p1.id, p2.id, p3.id FROM {crossed}",
            "cross join group": f"SELECT p0.id, p1.id, p2.id, count(*) FROM {crossed} "
            "GROUP BY 1, 2, 3",
            "cross join window": "SELECT sum(a.id) OVER (ORDER BY b.height, c.id, d.id) FROM "
            "person AS a, person AS b, person AS c, person AS d",
            "no join condition": "SELECT count(*) FROM person AS a JOIN person AS b JOIN person "
            "AS c JOIN person AS d JOIN person AS e ON a.height + b.height < c.height",
        },
    )


def bombs() -> Iterator[Hostile]:
    """Short texts with huge cells, patterns or plans."""
    wild = "%" + "a%" * 40
    yield from named_texts(
        "bomb",
        BIG,
        {
            "hex of zeroblob": "SELECT hex(zeroblob(400000000))",
            "zeroblob": "SELECT zeroblob(2000000000)",
            "randomblob": "SELECT randomblob(1000000000)",
            "replace": "SELECT replace(hex(zeroblob(10000)), '0', hex(zeroblob(10000)))",
            "nested replace": "SELECT replace(replace(replace('aaaaaaaaaa', 'a', "
            "hex(zeroblob(200))), '0', hex(zeroblob(200))), '0', hex(zeroblob(200)))",
            "group_concat": "SELECT group_concat(hex(zeroblob(500000))) FROM person",
            "quote": "SELECT quote(zeroblob(30000000))",
            "doubled text": "SELECT " + " || ".join(["hex(zeroblob(8000000))"] * 4),
            "rows of blobs": "SELECT zeroblob(30000000) FROM person",
            "few rows of blobs": "SELECT zeroblob(30000000) FROM person LIMIT 20",
            "one late fat row": "SELECT CASE WHEN id > 300 THEN zeroblob(30000000) END FROM person",
        },
    )
    yield from named_texts(
        "bomb",
        BIG | ANSWERS,
        {
            "printf width": "SELECT printf('%1000000000d', 1)",
            "printf star": "SELECT printf('%*d', 2000000000, 1)",
            "printf precision": "SELECT printf('%.1000000000f', 1.0)",
        },
    )
    yield from named_texts(
        "bomb",
        ANY,
        {
            "like": f"SELECT replace(hex(zeroblob(20000)), '0', 'a') LIKE '{wild}b'",
            "glob": "SELECT replace(hex(zeroblob(20000)), '0', 'a') GLOB "
            f"'{wild.replace('%', '*')}b'",
            "printf repeat": "SELECT substr(printf('%.*c', 1000000000, 'x'), 1, 10)",
            "json array": "SELECT json_group_array(hex(zeroblob(500000))) FROM person",
            "wide row of blobs": "SELECT " + ", ".join(["zeroblob(30000000)"] * 90),
            "instr": "SELECT instr(hex(zeroblob(8000000)), hex(zeroblob(4000000)) || 'x')",
            "replace in place": "SELECT length(replace(hex(zeroblob(15000000)), '00', '0'))",
            "trim": "SELECT length(trim(hex(zeroblob(10000000)), hex(zeroblob(1000)) || 'x'))",
        },
        hangs=True,
    )
    long = ", ".join(
        f"x{n} AS (SELECT a.v FROM x{n - 1} AS a, x{n - 1} AS b)" for n in range(1, 26)
    )
    deep = ", ".join(
        f"x{n} AS (SELECT v FROM x{n - 1} UNION ALL SELECT v FROM x{n - 1})" for n in range(1, 31)
    )
    yield from named_texts(
        "compile",
        ANY,
        {
            "chain of joins": f"WITH x0 AS (SELECT 1 AS v), {long} SELECT count(*) FROM x25",
            "chain of unions": f"WITH x0 AS (SELECT 1 AS v), {deep} SELECT count(*) FROM x30",
            "chain of subqueries": "WITH x0 AS (SELECT 1 AS v), "
            + ", ".join(
                f"x{n} AS (SELECT (SELECT v FROM x{n - 1}) + (SELECT v FROM x{n - 1}) AS v)"
                for n in range(1, 31)
            )
            + " SELECT v FROM x30",
            "join of 60 tables": "SELECT count(*) FROM "
            + " JOIN ".join(f"city AS c{n}" for n in range(60))
            + " ON c0.id = c59.id",
        },
        hangs=True,
    )


def sizes() -> Iterator[Hostile]:
    """Long, deep and wide texts."""
    yield from named_texts(
        "size",
        WRONG,
        {
            "10 MB of text": "SELECT '" + "x" * 10_000_000 + "'",
            "10 MB of words": "SELECT " + "name, " * 1_700_000 + "name FROM person",
            "10 MB of comment": "SELECT 1 /*" + "x" * 10_000_000 + "*/",
            "10 MB of spaces": " " * 10_000_000 + "SELECT 1",
            "10 MB of semicolons": "SELECT 1" + ";" * 10_000_000,
            "10 MB of quotes": "SELECT " + "'" * 10_000_001,
            "10,000 parentheses": "SELECT " + "(" * 10_000 + "1" + ")" * 10_000,
            "10,000 open parentheses": "SELECT " + "(" * 10_000,
            "10,000 NOTs": "SELECT " + "NOT " * 10_000 + "1",
            "10,000 minuses": "SELECT " + "- " * 10_000 + "1",
            "5,000 ANDs": "SELECT name FROM person WHERE " + " AND ".join(["age > 1"] * 5_000),
            "5,000 ORs": "SELECT name FROM person WHERE " + " OR ".join(["age = 1"] * 5_000),
            "5,000 pluses": "SELECT " + " + ".join(["1"] * 5_000),
            "5,000 columns": "SELECT " + ", ".join(["1"] * 5_000),
            "1,000 UNIONs": " UNION ALL ".join(["SELECT 1"] * 1_000),
            "1,000 arguments": "SELECT max(" + ", ".join(["1"] * 1_000) + ")",
            "1,000 subqueries": "SELECT " + "(SELECT " * 1_000 + "1" + ")" * 1_000,
            "1,000 nested FROMs": "SELECT * FROM (" * 1_000 + "SELECT 1" + ")" * 1_000,
            "1,000 CASEs": "SELECT " + "CASE WHEN 1 THEN " * 1_000 + "1" + " END" * 1_000,
            "100 tables": "SELECT count(*) FROM " + ", ".join(f"city AS c{n}" for n in range(100)),
        },
    )
    yield from named_texts(
        "size",
        ANSWERS,
        {
            "2,000 columns": "SELECT "
            + ", ".join(f"id + {n}" for n in range(2_000))
            + " FROM city",
            "400 UNIONs": " UNION ALL ".join(["SELECT 1"] * 400),
            "5,000 in list": f"SELECT name FROM person WHERE id IN ({', '.join(['1'] * 5_000)})",
            "5,000 values": "VALUES " + ", ".join(["(1)"] * 5_000),
            "900 ANDs": "SELECT name FROM person WHERE " + " AND ".join(["age > 1"] * 900),
            "half a megabyte of text": "SELECT '" + "é" * 500_000 + "'",
            "half a megabyte of comment": "SELECT 1 --" + "x" * 500_000,
        },
    )
