"""What only DuckDB reads: which pairs are proved, which are refuted, and that texts mean the same.

``duckdb_pairs.tsv`` has pairs that are equal or different, as random rows show. A long run of the
random pairs by hand: ``python tests/prove/test_prove_duckdb.py 2000``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("duckdb", reason="duckdb is not installed: extra 'duckdb'")

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from duckdb_queries import PairMaker, forms
from duckdb_rows import FOLDER, PAIRS, answer, differing, fill, open_tables, pairs_schema

from sqlverdict import prove_pair
from sqlverdict.execute.common_text import UNKNOWN_FUNCTION, text_in_common_sql
from sqlverdict.execute.engines.duckdb import Duckdb
from sqlverdict.parse.query import parse
from sqlverdict.parse.schema import Schema
from sqlverdict.parse.schemas.ddl import read_ddl
from sqlverdict.prove.check import check_proof
from sqlverdict.prove.proof import NotProved, Proof
from sqlverdict.prove.prover import prove
from sqlverdict.records import Query
from sqlverdict.refute.target.search import EngineSearch
from sqlverdict.refute.witness import Witness
from tiers import sampled

OPEN = 1
"""Pairs of the file that are equal and not proved: by arg_max."""
TEXTS = sampled(40, 400)
RANDOM_PAIRS = sampled(60, 600)
DATABASES = 5
WITNESSES = sampled(10, 40)
DUCKDB = Duckdb()


@pytest.fixture(scope="module")
def schema() -> Schema:
    return pairs_schema()


@pytest.mark.slow
def test_equal_pairs_are_proved_and_different_ones_are_not(schema: Schema) -> None:
    open_pairs = []
    for truth, gold, prediction in PAIRS:
        derivation = prove(gold, prediction, schema, dialect="duckdb")
        if isinstance(derivation, Proof):
            assert truth == "equal", (gold, prediction)
            assert check_proof(derivation, schema).holds, (gold, prediction)
        elif truth == "equal":
            open_pairs.append((gold, prediction, derivation.message))
    assert len(open_pairs) == OPEN, open_pairs


@pytest.mark.slow
def test_the_pairs_are_what_they_are_said_to_be() -> None:
    counts = differing([(gold, prediction) for _, gold, prediction in PAIRS], 8)
    wrong = [
        (truth, pair)
        for truth, *pair in PAIRS
        if (counts[tuple(pair)] > 0) != (truth == "different")
    ]
    assert wrong == []
    connection = open_tables()
    for _, *pair in PAIRS:
        assert all(answer(connection, sql) != "error" for sql in pair), pair


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 FROM t GROUP BY ALL",
        "SELECT a + 1 AS q, sum(b) FROM t GROUP BY ALL HAVING a > 0",
        "SELECT a, (SELECT max(b) FROM t) FROM t GROUP BY ALL",
        "SELECT * EXCLUDE (nothing) FROM u",
        "SELECT COLUMNS('(.*)') AS '\\1' FROM u",
        "SELECT st.x FROM t JOIN u AS st ON t.id = st.id",
        "PIVOT t ON a USING sum(b)",
        "PIVOT t ON r IN (1) USING sum(b)",
        "SELECT list_transform(l, x -> x + 1) FROM t",
        "SELECT random() FROM t",
        "SELECT count_if(a > 1) FROM t",
        "SELECT a FROM t USING SAMPLE 2",
        "SELECT a FROM t LIMIT 10%",
        "SELECT a, row_number() OVER (ORDER BY b ROWS 1 PRECEDING) FROM t",
        "SELECT x.f(a) FROM t",
        "FROM read_csv('/etc/passwd')",
        "SUMMARIZE t",
        "SELECT id FROM u AS current_date WHERE id > current_date",
        "SELECT d AS current_date FROM t WHERE d > current_date + 1",
        "SELECT x.a FROM (SELECT a, a + 1 FROM t) x WHERE x.a > current_date",
    ],
)
def test_what_is_not_certain_has_no_text(sql: str, schema: Schema) -> None:
    assert text_in_common_sql(sql, "duckdb", True, schema) is None


@pytest.mark.parametrize(
    ("sql", "kind", "risk", "arguments"),
    [
        ("l[1]", "number", "total", '"l"'),
        ("st.y", "varchar", "total", '"st"'),
        ("a // 2", "arithmetic", "typed", '"a"'),
        ("a // b", "arithmetic", "partial", '"a", "b"'),
        ("a % nullif(b, 0)", "arithmetic", "typed", '"a", "b"'),
        ("s::INTEGER", "number", "partial", '"s"'),
        ("TRY_CAST(s AS INTEGER)", "number", "total", '"s"'),
        ("s || 'x'", "text", "typed", '"s"'),
        ("date_trunc('month', ts)", "timestamp", "total", '"ts"'),
        ("list_transform(l, lambda x: x + a)", "other", "typed", '"l", "a"'),
        ("list_filter(l, lambda x: x // a = 1)", "other", "partial", '"l", "a"'),
        ("regexp_matches(s, s)", "boolean", "partial", '"s"'),
    ],
)
def test_an_unknown_function_says_its_kind_and_risk(
    sql: str, kind: str, risk: str, arguments: str, schema: Schema
) -> None:
    text = text_in_common_sql(f"SELECT {sql} AS z FROM t", "duckdb", True, schema)
    assert text is not None
    name, _, rest = text.removeprefix("SELECT ").partition("(")
    match = UNKNOWN_FUNCTION.fullmatch(name)
    assert match is not None
    assert (match["kind"], match["risk"]) == (kind, risk)
    assert rest == f'{arguments}) AS "z" FROM "t"'


def test_a_query_that_begins_with_from_is_read() -> None:
    query = parse("FROM t SELECT a", "duckdb")
    assert isinstance(query, Query)
    assert (query.tables, query.columns) == (("t",), ("a",))
    assert not isinstance(parse("FROM t SELECT a", "postgres"), Query)


@pytest.mark.slow
def test_different_pairs_get_a_witness(tmp_path: Path) -> None:
    different = [pair for truth, *pair in PAIRS if truth == "different"]
    file = tmp_path / "pairs.duckdb"
    statements = (FOLDER / "duckdb_pairs.sql").read_text(encoding="utf-8").split(";")
    DUCKDB.write_file(file, [each for each in statements if each.strip()])
    search = EngineSearch(DUCKDB, str(file), DUCKDB.schema(file))
    with closing(search):
        for gold, prediction in different[:: max(1, len(different) // WITNESSES)]:
            outcome = search.refute(parse(gold, "duckdb"), parse(prediction, "duckdb"))
            assert isinstance(outcome, Witness), (gold, prediction, outcome)


@pytest.mark.slow
@pytest.mark.sampled
def test_a_text_in_common_sql_gives_the_same_rows(schema: Schema) -> None:
    """Texts without unknown functions run, so DuckDB itself can compare."""
    connection = open_tables()
    texts = []
    for seed in range(TEXTS):
        sql = forms(Random(seed))
        text = text_in_common_sql(sql, "duckdb", True, schema)
        if text is not None and "sqlverdict_" not in text:
            texts.append((sql, text))
    assert len(texts) > TEXTS // 3
    for number in range(DATABASES):
        fill(connection, schema, Random(f"rows {number}"))
        for sql, text in texts:
            assert answer(connection, sql) == answer(connection, text), (sql, text)


def proved_pairs(seeds: range, schema: Schema) -> list[tuple[str, str, tuple[int, ...]]]:
    """The random pairs that are proved, with the column of the second for each of the first."""
    pairs = []
    for seed in seeds:
        one, other = PairMaker(Random(seed)).pair()
        proof = prove(one, other, schema, dialect="duckdb")
        if isinstance(proof, Proof):
            verdict = check_proof(proof, schema)
            assert verdict.holds, (one, other, verdict)
            pairs.append((one, other, proof.columns))
    return pairs


def broken_pairs(
    pairs: list[tuple[str, str, tuple[int, ...]]], databases: int, schema: Schema
) -> Iterator[str]:
    """The pairs that differ on random rows."""
    connection = open_tables()
    for number in range(databases):
        fill(connection, schema, Random(f"rows {number}"))
        for one, other, columns in pairs:
            first, second = answer(connection, one), answer(connection, other, columns)
            if first != second:
                yield f"{one}\n{other}\n  {first}\n  {second}"


@pytest.mark.slow
@pytest.mark.sampled
def test_no_proved_pair_differs_on_random_rows(schema: Schema) -> None:
    pairs = proved_pairs(range(RANDOM_PAIRS), schema)
    assert list(broken_pairs(pairs, DATABASES, schema)) == []
    assert len(pairs) > RANDOM_PAIRS // 10


if __name__ == "__main__":
    tables, last = pairs_schema(), int(sys.argv[1])
    results = proved_pairs(range(last), tables)
    sys.stdout.write(f"{len(results)} of {last} proved\n")
    for outcome in broken_pairs(results, 12, tables):
        sys.stdout.write(f"{outcome}\n")


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        ("SELECT i FROM s WHERE [a] < [b]", "SELECT i FROM s WHERE [b] > [a]"),
        ("SELECT i FROM s WHERE (a, i) < (b, 1)", "SELECT i FROM s WHERE (b, 1) > (a, i)"),
        (
            "SELECT current_date AS b, d AS current_date FROM s",
            "SELECT today() AS b, d AS current_date FROM s",
        ),
    ],
)
def test_structures_are_not_mirrored_and_the_clock_is_no_alias(
    tmp_path: Path, gold: str, prediction: str
) -> None:
    """Structures are compared in the left one's order of fields; such an alias is an error."""
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "s.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE s (i INTEGER, a STRUCT(x INTEGER, y INTEGER), "
            "b STRUCT(y INTEGER, x INTEGER), d DATE)"
        )
    assert isinstance(prove_pair(gold, prediction, db=str(path)), NotProved)


def test_a_constant_of_bits_ends_no_proof_with_an_error() -> None:
    schema = read_ddl("CREATE TABLE b (id INTEGER PRIMARY KEY, x BIT)", "bits")
    gold, other = "SELECT id FROM b WHERE x = '101'", "SELECT id FROM b WHERE '101' = x"
    assert not isinstance(prove(gold, other, schema, dialect="duckdb"), Proof)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("j->>'a'", "json_extract_string(j, 'a')", True),
        ("j->>'$.a'", "json_extract_path_text(j, '$.a')", True),
        ("j->>'a'", "json_extract(j, 'a')", False),
        ("j->>'a'", "json_extract_string(j, 'b')", False),
    ],
)
def test_a_part_of_a_document_has_several_names(
    tmp_path: Path, one: str, other: str, equal: bool
) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "j.duckdb"
    documents = ('{"a": "x", "b": 1}', '{"a": {"b": 2}}', '{"b": null}', "[1]", '"a"')
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, j JSON)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(documents)))
        rows = [connection.execute(f"SELECT id, {each} FROM t").fetchall() for each in (one, other)]
    assert (rows[0] == rows[1]) is equal
    pair = (f"SELECT id, {each} FROM t" for each in (one, other))
    assert isinstance(prove_pair(*pair, db=str(path)), Proof) is equal
