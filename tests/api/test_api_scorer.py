"""Scorer: warm, thread-safe, picklable, fresh, and it never raises for what a prediction does."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import sqlite3
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

import sqlverdict as sv
from sqlverdict.api.isolated import BoundedChecker
from sqlverdict.execute.engine import Engine
from sqlverdict.records import Case, Prediction
from sqlverdict.testing.hostile import hostile_predictions
from tiers import sampled
from timeouts import HANG_SECONDS, fail_on_hang, wait_until

GOLD = "SELECT name FROM t WHERE n > 1"


@pytest.mark.parametrize(
    ("prediction", "value"),
    [
        ("SELECT name FROM t WHERE n >= 2", 1.0),
        ("Sure!\n```sql\nSELECT name FROM t WHERE n >= 2;\n```", 1.0),
        ("<think>SELECT 1</think>SELECT name FROM t WHERE n >= 2", 1.0),
        ("SELECT name FROM t", 0.0),
        ("SELECT nothing FROM t", 0.0),
        ("I cannot answer that.", 0.0),
        ("", 0.0),
        ("DROP TABLE t", 0.0),
        (None, 0.0),
    ],
)
def test_a_call_gives_the_value_of_the_first_metric(
    db: Path, prediction: str | None, value: float
) -> None:
    assert sv.Scorer(db=db)(GOLD, prediction) == value


@pytest.mark.parametrize("gold", [GOLD, "SELECT nothing FROM t", "SELECT random()", None])
@pytest.mark.parametrize("metric", ["ex", "ex[bird]", "soft_f1", "text_match", "verdict"])
def test_a_call_gives_the_value_that_a_check_has(db: Path, metric: str, gold: str | None) -> None:
    replies = (GOLD, "SELECT n FROM t", "SELECT nothing", "I cannot say.", "SELECT random()", None)
    with sv.Scorer(metric, db=db) as one, sv.Scorer(metric, db=db) as other:
        for reply in replies:
            assert one(gold, reply) == other.check(gold, reply).scores[metric]


def test_a_gold_that_fails_is_unscored_and_not_zero(db: Path) -> None:
    scorer = sv.Scorer(db=db)
    assert scorer("SELECT nothing FROM t", "SELECT nothing FROM t") is None
    result = scorer.check("SELECT nothing FROM t", "SELECT 1")
    assert (result.correct, result.verdict) == (None, sv.Verdict.UNSCORED)


def test_any_of_several_golds_counts(db: Path) -> None:
    assert sv.Scorer(db=db)(["SELECT 1", GOLD], GOLD) == 1.0


def test_an_unanswerable_question_wants_an_abstention(db: Path) -> None:
    scorer = sv.Scorer("verdict", db=db)
    assert scorer.check(None, None).correct is True
    assert scorer.check(None, GOLD).correct is False
    assert scorer.check(GOLD, None).verdict is sv.Verdict.ABSTAINED_WRONG


def test_databases_are_found_by_name(db: Path) -> None:
    scorer = sv.Scorer(databases=db.parent)
    assert scorer(GOLD, GOLD, db_id="shop") == 1.0
    assert scorer(GOLD, GOLD, db_id="nowhere") is None
    assert scorer(GOLD, GOLD, db_id="../shop") is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((5, "SELECT 1"), "not iterable|a gold is"),
        (([""], "SELECT 1"), "a gold is"),
        (("SELECT 1", 5), "a prediction is int"),
        (("SELECT 1", ["SELECT 1"]), "a prediction is list"),
    ],
)
def test_wrong_types_are_refused_at_the_call(
    db: Path, arguments: tuple[object, object], message: str
) -> None:
    with pytest.raises((sv.SqlverdictError, TypeError), match=message):
        sv.Scorer(db=db)(*arguments)  # type: ignore[arg-type]


def test_without_a_database_the_call_says_what_to_give() -> None:
    with pytest.raises(sv.SqlverdictError, match="no database"):
        sv.Scorer()("SELECT 1", "SELECT 1")


def test_a_changed_database_changes_the_result(db: Path) -> None:
    scorer = sv.Scorer(db=db)
    prediction = "SELECT name FROM t WHERE name <> 'a'"
    assert scorer(GOLD, prediction) == 1.0
    connection = sqlite3.connect(db)
    with connection:
        connection.execute("INSERT INTO t VALUES ('d', 0)")
    connection.close()
    assert scorer(GOLD, prediction) == 0.0


def test_a_write_ahead_log_behind_a_link_changes_the_result(db: Path, tmp_path: Path) -> None:
    link = tmp_path / "links" / "shop.sqlite"
    link.parent.mkdir()
    link.symlink_to(db)
    writer = sqlite3.connect(db)
    writer.execute("PRAGMA journal_mode=WAL")
    scorer = sv.Scorer(db=link)
    prediction = "SELECT name FROM t WHERE name <> 'a'"
    assert scorer(GOLD, prediction) == 1.0
    with writer:
        writer.execute("INSERT INTO t VALUES ('d', 0)")
    assert scorer(GOLD, prediction) == 0.0
    writer.close()


@pytest.mark.slow
def test_a_write_ahead_log_of_duckdb_changes_the_result(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the extra duckdb is not installed")
    path, later = tmp_path / "a.duckdb", tmp_path / "later.duckdb"
    duckdb.connect(str(path)).execute("CREATE TABLE t AS SELECT 1 AS n").close()
    scorer = sv.Scorer(db=path)
    assert scorer("SELECT count(*) FROM t", "SELECT 1") == 1.0
    later.write_bytes(path.read_bytes())
    writer = duckdb.connect(str(later))
    writer.execute("INSERT INTO t VALUES (2)")
    # The writer has not put its log into the file yet.
    (tmp_path / "a.duckdb.wal").write_bytes((tmp_path / "later.duckdb.wal").read_bytes())
    writer.close()
    assert scorer("SELECT count(*) FROM t", "SELECT 1") == 0.0
    scorer.close()


def test_the_result_shows_both_answers_and_their_difference(db: Path) -> None:
    result = sv.check(GOLD, "SELECT name FROM t WHERE n > 2", db=db)
    assert result.correct is False
    assert list(result.gold_rows or ()) == [("b",), ("c",)]
    assert result.difference is not None
    assert (result.difference.missing, result.difference.extra) == ((("b",),), ())
    assert "incorrect" in result.explain()


@pytest.mark.slow
def test_rows_are_bounded_and_counts_are_not(db: Path) -> None:
    many = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 500) "
    result = sv.check(many + "SELECT i FROM r", many + "SELECT -i FROM r", db=db)
    assert (result.gold_count, len(result.gold_rows or ())) == (500, 20)
    assert result.difference is not None
    assert (result.difference.missing_count, len(result.difference.missing)) == (500, 20)


def test_a_proof_and_a_witness_are_there_where_they_are_asked_for(db: Path) -> None:
    proved = sv.check(GOLD, "SELECT name FROM t WHERE 1 < n", db=db, prove=True)
    assert proved.proof is not None
    lucky = sv.check(GOLD, "SELECT name FROM t WHERE n <> 1", db=db, refute=80)
    assert lucky.witness is not None
    assert lucky.scores == {"ex": 1.0}


@pytest.mark.slow
def test_hostile_text_in_the_card_is_escaped(db: Path) -> None:
    result = sv.check("SELECT '<script>'", "SELECT '<img src=x onerror=alert(1)>'", db=db)
    html = result._repr_html_()
    assert "<script>" not in html
    assert "<img" not in html


def test_threads_get_the_same_results(db: Path) -> None:
    predictions = [f"SELECT name FROM t WHERE n > {n % 4}" for n in range(200)]
    pairs = [(GOLD, prediction, db) for prediction in predictions]
    alone = [result.scores for result in sv.Scorer().batch(pairs)]
    scorer = sv.Scorer(memo=10)
    assert [result.scores for result in scorer.batch(pairs, threads=8)] == alone
    assert [r.scores for r in asyncio.run(scorer.abatch(pairs, concurrency=8))] == alone


@pytest.mark.slow
@pytest.mark.parametrize(
    "reply",
    [
        "SELECT name || '{0}' FROM t -- {0}",
        "SELECT hex(zeroblob(10000)), {1} FROM t",
        "I cannot say. {0} {1}",
    ],
)
def test_large_replies_and_answers_do_not_fill_the_memory(
    db: Path, monkeypatch: pytest.MonkeyPatch, reply: str
) -> None:
    monkeypatch.setattr("sqlverdict.run.memory.REMEMBERED", 200_000)
    with sv.Scorer(db=db) as scorer:
        results = (
            scorer.check(GOLD, reply.format(f"{n:010}" * 1_000, f"'{n}'")) for n in range(40)
        )
        alive = [weakref.ref(result) for result in results]
        assert 1 < sum(each() is not None for each in alive) < 25
        scorer.check(GOLD, f"SELECT '{'x' * 300_000}'")
        assert sum(each() is not None for each in alive) == 0
        small = scorer.check(GOLD, "SELECT 1")
        assert scorer.check(GOLD, "SELECT 1") is small


def test_a_scorer_can_be_pickled_while_it_is_open(db: Path) -> None:
    scorer = sv.Scorer(db=db)
    scorer(GOLD, GOLD)
    assert pickle.loads(pickle.dumps(scorer))(GOLD, GOLD) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_scorer_works_in_processes_even_daemonic_ones(db: Path, method: str) -> None:
    scorer = sv.Scorer(db=db)
    assert scorer(GOLD, GOLD) == 1.0
    with multiprocessing.get_context(method).Pool(2) as pool:
        values = pool.starmap(scorer, [(GOLD, GOLD), (GOLD, "SELECT 1")])
    assert values == [1.0, 0.0]


@pytest.mark.slow
@pytest.mark.sampled
def test_hostile_predictions_get_a_value_and_leave_nothing_behind(db: Path) -> None:
    before, files = db.read_bytes(), set(db.parent.iterdir())
    limits = sv.Limits(steps=500_000, seconds=600, bytes=2**22, cell=2**20)
    with sv.Scorer(db=db, limits=limits) as scorer:
        predictions = [h.sql for h in hostile_predictions() if not h.hangs][:: sampled(3, 1)]
        values = scorer.batch([(GOLD, prediction) for prediction in predictions], threads=4)
        assert all(result.scores["ex"] in (0.0, None) for result in values)
        assert scorer(GOLD, GOLD) == 1.0
    assert (db.read_bytes(), set(db.parent.iterdir())) == (before, files)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to count descriptors")
def test_no_descriptor_is_left_open(db: Path, tmp_path: Path) -> None:
    def descriptors() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    copies = []
    for number in range(80):
        copy = tmp_path / f"{number}.sqlite"
        copy.write_bytes(db.read_bytes())
        copies.append(copy)
    before, threads = descriptors(), threading.active_count()
    with sv.Scorer() as scorer, ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda copy: scorer(GOLD, GOLD, copy), copies))
    assert descriptors() <= before
    assert threading.active_count() <= threads


def test_the_front_door_lists_its_names() -> None:
    assert {"check", "Scorer", "prove_pair", "refute_pair", "extract_sql", "load_schema"} <= set(
        dir(sv)
    )


def test_prove_and_refute_take_a_schema_or_a_database(db: Path) -> None:
    schema = sv.load_schema(db)
    assert sv.prove_pair(GOLD, "SELECT name FROM t WHERE 1 < n", schema=schema).proved
    assert sv.refute_pair(GOLD, "SELECT name FROM t WHERE n <> 1", db=db).refuted
    with pytest.raises(sv.SqlverdictError, match="schema= and db="):
        sv.refute_pair(GOLD, GOLD)


def test_threads_find_the_same_witnesses(db: Path) -> None:
    """Scratch databases are kept warm, and no two threads use one at the same time."""
    predictions = ["SELECT name FROM t WHERE n <> 1", "SELECT name, n FROM t WHERE n > 1"] * 10
    pairs = [(GOLD, prediction, db) for prediction in predictions]
    scorer = sv.Scorer(refute=40, memo=0)
    alone = [result.evidence for result in scorer.batch(pairs)]
    assert [result.evidence for result in scorer.batch(pairs, threads=8)] == alone


def test_a_match_says_whether_other_databases_were_tried(db: Path) -> None:
    same = "SELECT name FROM t WHERE n > 1 AND 1 = 1"
    assert "no other was tried" in sv.check(GOLD, same, db=db).explain()
    searched = sv.check(GOLD, "SELECT name FROM t WHERE NOT n <= 1", db=db, refute=20)
    assert "no database was found where they differ" in searched.explain()


def test_a_database_that_changed_while_others_were_used_is_read_again(tmp_path: Path) -> None:
    def write(name: str, value: int) -> Path:
        path = tmp_path / name
        path.unlink(missing_ok=True)
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("CREATE TABLE t (x)")
            connection.execute("INSERT INTO t VALUES (?)", (value,))
        connection.close()
        return path

    pair = ("SELECT x FROM t", "SELECT 1")
    with sv.Scorer("ex") as scorer:
        first, second = write("a.sqlite", 1), write("b.sqlite", 1)
        assert (scorer(*pair, first), scorer(*pair, second)) == (1.0, 1.0)
        write("a.sqlite", 2)
        assert (scorer(*pair, first), scorer(*pair, second)) == (0.0, 1.0)
        second.unlink()
        assert (scorer(*pair, second), scorer(*pair, first)) == (None, 0.0)


@pytest.mark.slow
def test_a_relative_database_is_that_of_the_folder_at_the_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in the process for queries that may run for long, which stays where it was started."""
    for name, count in (("a", 2), ("b", 3)):
        (tmp_path / name / "all").mkdir(parents=True)
        for path in (tmp_path / name / "s.sqlite", tmp_path / name / "all" / "s.sqlite"):
            connection = sqlite3.connect(path)
            with connection:
                connection.execute("CREATE TABLE t (x)")
                connection.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(count)])
            connection.close()
    gold, here, apart = "SELECT count(*) FROM t", "SELECT 2", "SELECT instr('ab', 'b')"
    with sv.Scorer(db="s.sqlite") as by_file, sv.Scorer(databases="all") as by_name:
        for folder, value in (("a", 1.0), ("b", 0.0), ("a", 1.0)):
            monkeypatch.chdir(tmp_path / folder)
            for prediction in (here, apart):
                assert by_file(gold, prediction) == value
                assert by_name(gold, prediction, db_id="s") == value


def test_a_database_that_was_missing_is_found_by_its_name_later(db: Path) -> None:
    with sv.Scorer(databases=db.parent) as scorer:
        assert scorer(GOLD, GOLD, db_id="late") is None
        assert scorer(GOLD, GOLD, db_id="Other") is None
        (db.parent / "late.sqlite").write_bytes(db.read_bytes())
        (db.parent / "other").mkdir()
        (db.parent / "other" / "other.sqlite").write_bytes(db.read_bytes())
        assert scorer(GOLD, GOLD, db_id="late") == 1.0
        assert scorer(GOLD, GOLD, db_id="Other") == 1.0


def test_a_cancelled_batch_lets_the_loop_go_on_and_leaves_nothing_behind(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    checked: list[str | None] = []
    closed: list[BoundedChecker] = []
    whole_check = BoundedChecker.check

    def check(
        checker: BoundedChecker, engine: Engine, case: Case, prediction: Prediction, digest: str
    ) -> sv.PairResult:
        begun.set()
        assert go_on.wait(HANG_SECONDS)
        checked.append(prediction.sql)
        return whole_check(checker, engine, case, prediction, digest)

    async def cancel_a_batch(scorer: sv.Scorer) -> None:
        pairs = [(GOLD, "SELECT 1"), (GOLD, "SELECT 2")]
        batch = asyncio.create_task(scorer.abatch(pairs, concurrency=1))
        await asyncio.to_thread(begun.wait, HANG_SECONDS)
        batch.cancel()
        with pytest.raises(asyncio.CancelledError):
            await batch

    threads = threading.active_count()
    monkeypatch.setattr(BoundedChecker, "check", check)
    monkeypatch.setattr(BoundedChecker, "close", lambda checker: closed.append(checker))
    with fail_on_hang(), sv.Scorer(db=db) as scorer:
        asyncio.run(cancel_a_batch(scorer))
    assert closed == []
    go_on.set()
    assert wait_until(lambda: threading.active_count() <= threads)
    # The second pair did not begin; what the first had opened was closed after the scorer was.
    assert checked == ["SELECT 1"]
    assert len(closed) == 1


@pytest.mark.parametrize("changing", ["random()", "strftime('%s %f', 'now')"])
def test_the_answer_of_another_moment_is_not_remembered(db: Path, changing: str) -> None:
    query = f"SELECT {changing}"
    with sv.Scorer(db=db) as scorer:
        first = scorer.check("SELECT 1", query).prediction_outcome
        assert isinstance(first, sv.Answer)
        assert wait_until(
            lambda: scorer.check("SELECT 1", query).prediction_rows not in (None, first.rows)
        )
        assert scorer.check(query, "SELECT '1'").correct is not True
        result = scorer.check(query, query)
    if "now" in changing:
        # One pair has one moment for the same query.
        assert (result.correct, result.gold_rows) == (True, result.prediction_rows)


def test_a_clock_that_stands_still_is_remembered(db: Path) -> None:
    scorer = sv.Scorer(db=db, now=datetime(2024, 5, 17, tzinfo=UTC))
    query = "SELECT strftime('%s %f', 'now')"
    assert scorer.check(query, query) is scorer.check(query, query)
