"""The hostile corpus: typed outcomes, all of them ended, nothing written, memory bounded."""

from __future__ import annotations

import resource
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqlverdict import Options, evaluate, evaluate_pairs
from sqlverdict.execute.engine import ENGINES, Limits
from sqlverdict.records import Case, Failure, Prediction, Reason, Result, Verdict
from sqlverdict.testing.engine_data import snapshot
from sqlverdict.testing.hostile import ANSWER, Hostile, hostile_predictions, make_database
from tiers import sampled
from timeouts import fail_on_hang

GOLD = "SELECT name FROM person"
LIMITS = Limits(steps=2_000_000, seconds=600)
"""Steps end what is endless, at the same place on a busy machine. From version 3.41 on, SQLite counts
the steps of compiling, too."""
CORPUS = hostile_predictions()
MEMORY = 2 * 2**30
"""Peak resident bytes that a worker may reach: the engine's heap limit and as much again."""

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_database(tmp_path_factory.mktemp("original") / "people.sqlite")


@pytest.fixture
def watched(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The database, alone in a folder; it and the working folder must stay as they are."""
    data, here = tmp_path / "data", tmp_path / "here"
    data.mkdir()
    here.mkdir()
    database = Path(shutil.copy(original, data))
    before = snapshot(data)
    monkeypatch.chdir(here)
    yield database
    assert snapshot(data) == before
    assert list(here.iterdir()) == []
    for loot in ("/tmp/loot.sqlite", "/tmp/loot.csv", "/tmp/loot"):
        assert not Path(loot).exists()


def outcome(result: Result) -> str:
    """What became of a prediction: its failure's reason, or that it answered."""
    assert result.fault is None, result.message
    if Reason.NO_SQL_PRODUCED in result.reasons:
        return Reason.NO_SQL_PRODUCED
    assert result.verdict in (Verdict.CORRECT, Verdict.INCORRECT), result
    (evidence,) = result.evidence
    if evidence.by == "execute":
        assert result.message
        return evidence.reasons[0]
    return ANSWER


def cases_of(corpus: tuple[Hostile, ...], database: Path) -> list[Case]:
    return [Case(each.name, "people", "?", (GOLD,), str(database)) for each in corpus]


def test_the_corpus_is_large_and_names_are_unique() -> None:
    assert len(CORPUS) >= 220
    assert len({each.name for each in CORPUS}) == len(CORPUS)
    assert len({each.sql for each in CORPUS}) == len(CORPUS)
    groups = Counter(each.group for each in CORPUS)
    assert set(groups) == {
        *("ddl", "dml", "attach", "pragma", "transaction", "file", "endless", "bomb", "compile"),
        *("size", "several", "character", "nothing", "dialect", "text", "injection"),
    }
    assert all(each.expected for each in CORPUS)


@pytest.mark.parametrize("group", sorted({each.group for each in CORPUS} - {"endless"}))
def test_in_process(group: str, watched: Path) -> None:
    wrong = {}
    for hostile in CORPUS:
        if hostile.group != group or hostile.hangs:
            continue
        session = ENGINES.get("sqlite").open(watched, LIMITS)
        outcome = session.run(hostile.sql)
        session.close()
        reason = outcome.reason if isinstance(outcome, Failure) else ANSWER
        if reason not in hostile.expected:
            wrong[hostile.name] = outcome
    assert wrong == {}


@needs_linux
@pytest.mark.slow
@pytest.mark.sampled
def test_all_through_two_workers(watched: Path, tmp_path: Path) -> None:
    """The texts through the whole pipeline; the metrics read them in their own ways."""
    corpus = tuple(each for each in CORPUS if not each.hangs and each.group != "endless")
    corpus = corpus[:: sampled(5, 1)]
    options = Options("ex,ex[spider],ex[bird],text_match", limits=LIMITS, workers=2)
    check_outcomes(corpus, watched, tmp_path / "run", options)
    left = {file.name for file in (tmp_path / "run").iterdir()} - {"results.jsonl"}
    assert left == {"manifest.json", "summary.json"}


@needs_linux
@pytest.mark.slow
def test_what_steps_do_not_stop_is_stopped_by_the_clock(watched: Path, tmp_path: Path) -> None:
    """Some would run for hours; the golds' answers are at hand, so the clock stops nothing else."""
    corpus = tuple(each for each in CORPUS if each.hangs or each.group == "endless")
    assert len(corpus) >= 10
    cache = tmp_path / "answers.sqlite"
    gold = {each.name: GOLD for each in corpus}
    evaluate(cases_of(corpus, watched), gold, options=Options(cache=cache))
    limits = Limits(seconds=0.2)
    before = processor_seconds_of_children()
    with fail_on_hang():
        check_outcomes(
            corpus, watched, tmp_path / "run", Options(limits=limits, workers=2, cache=cache)
        )
    spent = processor_seconds_of_children() - before
    assert spent < 20 * len(corpus), f"{spent:.0f} s of the processor's time"


def check_outcomes(
    corpus: tuple[Hostile, ...], database: Path, out: Path, options: Options
) -> None:
    """Every outcome is typed and expected, in order, and memory is bounded."""
    pairs = (
        (case, Prediction(case.id, each.sql))
        for case, each in zip(cases_of(corpus, database), corpus, strict=True)
    )
    before, own = peak_of_children(), resident_bytes()
    results = list(evaluate_pairs(pairs, out=out, options=options).results())
    assert [result.id for result in results] == [each.name for each in corpus]
    wrong = {
        each.name: (actual, result.message)
        for each, result in zip(corpus, results, strict=True)
        if (actual := outcome(result)) not in each.expected
    }
    assert wrong == {}
    # It is that of all children so far; a forked worker begins with what this process holds.
    peak = peak_of_children()
    assert peak == before or peak < own + MEMORY, f"a worker reached {peak / 2**20:.0f} MB"


def peak_of_children() -> int:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def processor_seconds_of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


@pytest.mark.sampled
def test_through_evaluate_with_a_mapping(watched: Path) -> None:
    """The call that users make, on a part of what ends at once."""
    corpus = tuple(
        each for each in CORPUS if each.group not in ("endless", "bomb", "compile", "size")
    )
    assert len(corpus) > 200
    corpus = corpus[sampled(1, 0) :: sampled(4, 1)]
    # As SQL, not as a reply from which SQL is taken.
    predictions = {each.name: Prediction(each.name, sql=each.sql) for each in corpus}
    run = evaluate(
        cases_of(corpus, watched), predictions, options=Options(limits=LIMITS, workers=1)
    )
    for each, result in zip(corpus, run.results(), strict=True):
        assert outcome(result) in each.expected, each.name
