"""Scorer ends what the engine cannot end, leaves nothing running, and keeps no cut result."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

import sqlverdict as sv
from kill_parts import FOREVER, VICTIM, killer
from sqlverdict.execute.apart.brief import is_brief
from sqlverdict.records import Fault
from sqlverdict.testing.hostile import hostile_predictions
from tiers import sampled
from timeouts import HANG_SECONDS, fail_on_hang, wait_until

GOLD = "SELECT name FROM t WHERE n > 1"
APART = "SELECT replace(name, 'x', 'x') FROM t WHERE n > 1"
"""Right, and not known to be brief."""
LONG = "hex(zeroblob(8000000))"
STEPS_OF_HOURS = {
    "trim": f"SELECT trim({LONG}, replace(hex(zeroblob(100000)), '0', 'y') || '0')",
    "instr": f"SELECT instr({LONG}, hex(zeroblob(4000000)) || 'x')",
    "a class of GLOB": f"SELECT {LONG} GLOB '*[' || replace(substr({LONG}, 1, 40000), '0', 'y') || ']'",
}
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bounded") / "shop.sqlite"
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("CREATE TABLE t (name TEXT, n INTEGER)")
        connection.execute("INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', 3)")
    connection.close()
    return path


@pytest.fixture(scope="module")
def scorer(db: Path) -> Iterator[sv.Scorer]:
    with sv.Scorer(db=db, memo=0) as scorer:
        yield scorer


def children(process: int | None = None) -> set[int]:
    """The processes that a process has started and that have not ended."""
    values = set()
    for tasks in Path(f"/proc/{process or os.getpid()}/task").iterdir():
        # A thread may end meanwhile.
        with suppress(FileNotFoundError, ProcessLookupError):
            values |= set(map(int, (tasks / "children").read_text().split()))
    return values


def own_children() -> set[int]:
    """Those of this process, once scorers that nobody has any more have ended theirs."""
    gc.collect()
    return children()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM t JOIN u USING (n) WHERE name LIKE '%a%' AND n IN (1, 2)",
        'SELECT name FROM t WHERE name LIKE "%a%"',
        "WITH x AS (SELECT max(n) AS m FROM t) SELECT upper(name) FROM t, x WHERE n = x.m",
        "SELECT name FROM matches WHERE (n + 1) * 2 > 3",
    ],
)
def test_usual_queries_are_brief(sql: str) -> None:
    assert is_brief(sql)


@pytest.mark.parametrize(
    "sql",
    [
        *STEPS_OF_HOURS.values(),
        "SELECT TRIM (name, name) FROM t",
        'SELECT "trim"(name, name) FROM t',
        "SELECT [trim](name, name) FROM t",
        "SELECT trim/* ( */(name, name) FROM t",
        "SELECT trim -- (\n(name, name) FROM t",
        "SELECT name FROM t WHERE name LIKE name",
        "SELECT name FROM t WHERE name LIKE 'a' || name",
        "SELECT like(name, name) FROM t",
        """SELECT 1 FROM (SELECT hex(n) AS "a%" FROM t) WHERE 'x' LIKE "a%" """,
        "SELECT name FROM t WHERE name MATCH 'x'",
        "SELECT name -> '$.a' FROM t",
        "SELECT json_patch(name, name) FROM t",
        "SELECT a_function_of_tomorrow(name) FROM t",
        "SELECT * FROM t a" + "".join(f" NATURAL JOIN t a{n}" for n in range(20)),
        "SELECT 1" + " " * 5_000,
        "SELECT printf('%.200000000c', 'x')",
        "SELECT format('%.*c', 200000000, 'x')",
        "SELECT CASE n WHEN 1 THEN n ELSE n END AS n FROM (" * 9 + "SELECT n FROM t" + ")" * 9,
        "WITH c0 AS (SELECT n FROM t)"
        + "".join(f", c{n} AS MATERIALIZED (SELECT n + n AS n FROM c{n - 1})" for n in range(1, 9))
        + " SELECT n FROM c8",
    ],
)
def test_what_may_take_long_in_one_step_is_not_brief(sql: str) -> None:
    assert not is_brief(sql)


def test_of_the_texts_that_hang_none_is_brief_but_for_large_cells_and_many_rows() -> None:
    brief = {each.name for each in hostile_predictions() if each.hangs and is_brief(each.sql)}
    assert brief <= {
        "bomb/printf repeat",
        "bomb/wide row of blobs",
        "compile/chain of joins",
        "compile/chain of unions",
        "compile/chain of subqueries",
    }


def test_both_ways_give_the_same_result(scorer: sv.Scorer) -> None:
    here = scorer.check(GOLD, GOLD)
    apart = scorer.check(GOLD, APART)
    assert (apart.verdict, apart.evidence, apart.scores) == (
        here.verdict,
        here.evidence,
        here.scores,
    )
    assert apart.prediction_rows == here.prediction_rows


def test_large_cells_are_compared_whole(scorer: sv.Scorer) -> None:
    gold = "SELECT hex(zeroblob(60000))"
    assert scorer(gold, gold) == 1.0
    assert scorer(gold, "SELECT hex(zeroblob(60000)) || '!'") == 0.0
    # The second gold is too large to be compared here, the first one is not right.
    assert scorer(["SELECT 1", gold], gold) == 1.0
    assert scorer(["SELECT 1", gold], gold + " ") == 1.0


@pytest.mark.slow
@pytest.mark.sampled
@needs_proc
@pytest.mark.parametrize("name", list(STEPS_OF_HOURS)[: sampled(1, len(STEPS_OF_HOURS))])
def test_a_step_of_hours_is_ended_with_its_process(db: Path, name: str) -> None:
    before = own_children()
    # The gold must be done in that time on a busy machine too.
    with fail_on_hang(), sv.Scorer(db=db, timeout=3.0) as scorer:
        result = scorer.check(GOLD, STEPS_OF_HOURS[name])
        assert result.scores == {"ex": 0.0}
        assert result.reasons == (sv.Reason.EXECUTION_TIMEOUT,)
        assert "ending its process" in result.message
        assert not result.result.final
        assert len(children() - before) == 1
        assert scorer(GOLD, APART) == 1.0
    assert children() <= before


@pytest.mark.slow
@needs_proc
def test_nothing_runs_on_when_the_scorers_process_is_killed(db: Path) -> None:
    code = (
        "import sys, sqlverdict as sv\n"
        "sv.Scorer(db=sys.argv[1], timeout=3600)(sys.argv[2], sys.argv[3])"
    )
    command = [sys.executable, "-c", code, str(db), GOLD, STEPS_OF_HOURS["trim"]]
    with subprocess.Popen(command) as process:
        assert wait_until(lambda: len(children(process.pid)) == 1)
        (child,) = children(process.pid)
        assert wait_until(lambda: is_busy(child))
        process.send_signal(signal.SIGKILL)
    assert wait_until(lambda: not Path(f"/proc/{child}").exists())


@pytest.mark.slow
@needs_proc
def test_the_process_ends_with_its_owner_though_a_fork_of_it_lives_on(db: Path) -> None:
    code = (
        "import os, sys, time, sqlverdict as sv\n"
        "scorer = sv.Scorer(db=sys.argv[1])\n"
        "assert scorer(sys.argv[2], sys.argv[3]) == 1.0\n"
        "(child,) = open(f'/proc/self/task/{os.getpid()}/children').read().split()\n"
        "fork = os.fork()\n"
        "if fork: print(child, fork, flush=True)\n"
        "time.sleep(3600)"
    )
    command = [sys.executable, "-c", code, str(db), GOLD, APART]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child, fork = map(int, process.stdout.readline().split())
        process.send_signal(signal.SIGKILL)
        process.wait()
        try:
            assert wait_until(lambda: not Path(f"/proc/{child}").exists())
            assert Path(f"/proc/{fork}").exists()
        finally:
            os.kill(fork, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kills", "gold", "verdict", "score"),
    [
        (2, GOLD, sv.Verdict.CORRECT, 1.0),
        (FOREVER, GOLD, sv.Verdict.INCORRECT, 0.0),
        (FOREVER, f"{APART} AND '{VICTIM}' <> ''", sv.Verdict.UNSCORED, None),
    ][: sampled(1, 3)],
)
def test_a_process_that_is_killed_from_outside_says_nothing_of_the_pair(
    kills: int,
    gold: str,
    verdict: sv.Verdict,
    score: float | None,
    db: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """Only where it dies each time, and not with the gold, does it count; and that is not final."""
    right = f"{APART} AND '{VICTIM}' <> 'x'"
    with (
        fail_on_hang(),
        killer(tmp_path / "kills", kills, monkeypatch),
        sv.Scorer(db=db, timeout=HANG_SECONDS) as scorer,
    ):
        result = scorer.check(gold, right)
    assert (result.verdict, result.scores) == (verdict, {"ex": score})
    assert result.result.final == (kills < FOREVER)
    assert ("was ended by SIGKILL" in result.message) == (kills == FOREVER)


def is_busy(process: int) -> bool:
    """Whether it has used two seconds of the processor: more than it takes to start."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) > 2 * os.sysconf("SC_CLK_TCK")


@needs_proc
def test_a_fork_leaves_the_process_to_its_owner(scorer: sv.Scorer) -> None:
    assert scorer(GOLD, APART) == 1.0
    before = own_children()
    child = os.fork()
    if not child:
        scorer.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert children() == before
    assert scorer(GOLD, APART + " ") == 1.0


def test_what_the_clock_cut_is_tried_again(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = "WITH RECURSIVE w AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM w LIMIT 5000) SELECT max(n) FROM w"
    scorer = sv.Scorer(db=db, timeout=100.0)
    hours = count(0.0, 3600.0)
    with monkeypatch.context() as patch:
        patch.setattr("sqlverdict.execute.engines.sqlite.session.monotonic", lambda: next(hours))
        cut = scorer.check("SELECT 5000", long)
    assert cut.reasons == (sv.Reason.EXECUTION_TIMEOUT,)
    assert not cut.result.final
    assert scorer("SELECT 5000", long) == 1.0


SAME = "SELECT name FROM t WHERE NOT n <= 1"
OTHER = "SELECT name FROM t WHERE NOT (n < 1 OR n = 1)"


def test_a_budget_counts_work_and_not_time(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = sv.Scorer(db=db, refute=40, budget_ms=0.5)
    moments = count(0.0, 1e-6)
    monkeypatch.setattr("sqlverdict.refute.meter.monotonic", lambda: next(moments))
    result = scorer.check(GOLD, SAME)
    (searched,) = [piece for piece in result.evidence if piece.by == "refute"]
    assert searched.reasons == (sv.Reason.BUDGET_EXHAUSTED,)
    assert not searched.cut_by_time
    assert result.result.final
    assert scorer.check(GOLD, SAME) is result


def test_a_search_that_the_clock_cut_says_so_and_is_made_again(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = sv.Scorer(db=db, refute=40, budget_ms=1_000)
    hours = count(0.0, 3600.0)
    with monkeypatch.context() as patch:
        patch.setattr("sqlverdict.refute.meter.monotonic", lambda: next(hours))
        busy = scorer.check(GOLD, SAME)
        patch.setattr("sqlverdict.refute.meter.thread_time", lambda: next(hours))
        cut = scorer.check(GOLD, OTHER)
    assert not any(piece.cut_by_time for piece in busy.evidence)
    assert any(piece.cut_by_time for piece in cut.evidence)
    assert not cut.result.final
    whole = scorer.check(GOLD, OTHER)
    assert not any(piece.cut_by_time for piece in whole.evidence)
    assert whole.result.final


@pytest.mark.parametrize("budget", [0, -5, float("nan")])
def test_a_budget_is_more_than_nothing(budget: float) -> None:
    with pytest.raises(sv.SqlverdictError, match="budget_ms is"):
        sv.Scorer(budget_ms=budget)


def test_a_database_that_comes_late_is_found(db: Path, tmp_path: Path) -> None:
    late = tmp_path / "late.sqlite"
    scorer = sv.Scorer(db=late)
    assert scorer(GOLD, GOLD) is None
    late.write_bytes(db.read_bytes())
    assert scorer(GOLD, GOLD) == 1.0


def test_a_process_that_does_not_start_leaves_the_pair_unscored(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(db.with_name("no-python")))
    result = sv.Scorer(db=db).check(GOLD, APART)
    assert (result.verdict, result.scores) == (sv.Verdict.UNSCORED, {"ex": None})
    assert "does not start" in result.message


class Unreadable(str):
    """A text that another process cannot read."""

    __slots__ = ()

    def __reduce__(self) -> tuple[type[int], tuple[str]]:
        return int, ("no number",)


class Unwritable(str):
    """A text that cannot be sent to another process."""

    __slots__ = ()

    def __reduce__(self) -> str:
        raise TypeError("not to be copied")


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("text", [Unreadable, Unwritable])
def test_a_pair_that_no_process_can_read_is_unscored_and_leaves_none_behind(
    db: Path, text: type[str]
) -> None:
    before = own_children()
    with fail_on_hang(), sv.Scorer(db=db) as scorer:
        result = scorer.check(GOLD, sv.Prediction("pair", APART, raw=text("Which?")))
        assert (result.verdict, result.scores) == (sv.Verdict.UNSCORED, {"ex": None})
        assert result.result.fault is Fault.TOOLKIT
        assert "cannot read this pair or a metric" in result.message
        assert children() <= before
        assert scorer(GOLD, APART) == 1.0
    assert children() <= before


@pytest.mark.slow
@pytest.mark.parametrize("text", [Unreadable, Unwritable])
def test_texts_of_a_class_of_their_own_are_texts(scorer: sv.Scorer, text: type[str]) -> None:
    with fail_on_hang():
        assert scorer(text(GOLD), text(APART)) == 1.0
        assert scorer([text(GOLD)], text(APART)) == 1.0
        assert scorer(GOLD, APART, question=text("Which?"), id=text("1")) == 1.0


@pytest.mark.slow
def test_a_metric_of_a_script_does_not_hang(db: Path) -> None:
    """Another process has another main module, and not its classes."""
    code = """
import sys
import sqlverdict as sv
from sqlverdict.records import Score
from sqlverdict.score.metric import METRICS

class Mine:
    \"\"\"One.\"\"\"
    name, version, needs, binary, parameters = "mine", 1, frozenset({"answers"}), True, ()
    def score(self, item, parameter):
        return Score(1.0)

METRICS.register(Mine(), "mine", "__main__")
with sv.Scorer("mine", db=sys.argv[1]) as scorer:
    print(scorer(sys.argv[2], "SELECT 2"), scorer.check(sys.argv[2], sys.argv[3]).message)
"""
    command = [sys.executable, "-c", code, str(db), GOLD, APART]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=HANG_SECONDS)
    assert run.stdout.startswith("1.0 ")
    assert "cannot read this pair or a metric" in run.stdout
