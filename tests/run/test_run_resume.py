"""The same call in the same folder: what still holds is kept, all else is done again."""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from cProfile import Profile
from dataclasses import replace
from pathlib import Path
from pstats import Stats
from typing import Any

import pytest
from resume_parts import GOLD, LOCAL, Lines, make, run_cases, shop_case

from error_parts import continues, options_of, refuses_run
from sqlverdict import Options, System, evaluate, evaluate_pairs, evaluate_systems
from sqlverdict.errors import Interrupted, OptionName, RunLogError
from sqlverdict.evidence import Refuted
from sqlverdict.execute.engine import Limits
from sqlverdict.load.predictions import as_predictions
from sqlverdict.records import Case, Prediction, Reason, Score
from sqlverdict.run.options import SearchOptions
from sqlverdict.run.task import as_benchmark
from sqlverdict.runlog.run import Run
from sqlverdict.score.metric import METRICS
from timeouts import HANG_SECONDS


def files_of(out: Path, lines_of: Lines) -> tuple[list[dict[str, Any]], bytes]:
    return lines_of(out), (out / "summary.json").read_bytes()


def test_a_database_that_changed_is_evaluated_again_and_said(
    tmp_path: Path, lines_of: Lines
) -> None:
    """The old score was printed: exit 0, "ex 100.0%", with a row inserted or a table dropped."""
    changing = make(tmp_path / "a.sqlite", 3)
    steady = make(tmp_path / "b.sqlite", 3)
    cases = [shop_case(n, changing, "a") for n in range(3)] + [shop_case(9, steady, "b")]
    assert run_cases(cases, tmp_path / "run").estimate("ex").value == 1.0
    make(changing, 4)
    again = run_cases(cases, tmp_path / "run")
    assert again.estimate("ex").value == 0.25
    assert again.resumed == ("1 database changed since the run (a): 3 cases are done again",)
    fresh = run_cases(cases, tmp_path / "fresh")
    assert files_of(tmp_path / "run", lines_of) == files_of(tmp_path / "fresh", lines_of)
    assert run_cases(cases, tmp_path / "run").resumed == ()
    with closing(sqlite3.connect(changing)) as connection:
        connection.execute("DROP TABLE item")
    assert fresh.estimate("ex").scored == 4
    assert run_cases(cases, tmp_path / "run").estimate("ex").scored == 1


def test_other_databases_in_the_same_folder_are_not_given_the_first_ones_score(
    tmp_path: Path,
) -> None:
    first, second = make(tmp_path / "a" / "shop.sqlite", 3), make(tmp_path / "b" / "shop.sqlite", 5)
    copy = tmp_path / "c" / "shop.sqlite"
    copy.parent.mkdir()
    shutil.copyfile(first, copy)
    assert run_cases([shop_case(1, first)], tmp_path / "run").estimate("ex").value == 1.0
    assert run_cases([shop_case(1, copy)], tmp_path / "run").resumed == (), "the same content"
    assert run_cases([shop_case(1, second)], tmp_path / "run").estimate("ex").value == 0.0


def test_a_database_that_was_missing_is_looked_for_again(tmp_path: Path, lines_of: Lines) -> None:
    database = tmp_path / "shop.sqlite"
    cases = [shop_case(n, database) for n in range(2)]
    assert run_cases(cases, tmp_path / "run").estimate("ex").scored == 0
    make(database, 3)
    again = run_cases(cases, tmp_path / "run")
    assert again.estimate("ex").value == 1.0
    run_cases(cases, tmp_path / "fresh")
    assert files_of(tmp_path / "run", lines_of) == files_of(tmp_path / "fresh", lines_of)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads everything")
def test_a_database_without_rights_is_tried_again(tmp_path: Path) -> None:
    database = make(tmp_path / "shop.sqlite", 3)
    other = make(tmp_path / "other.sqlite", 3)
    cases = [shop_case(1, database), shop_case(2, other, "other")]
    database.chmod(0)
    assert run_cases(cases, tmp_path / "run").estimate("ex").scored == 1
    database.chmod(0o644)
    assert run_cases(cases, tmp_path / "run").estimate("ex").value == 1.0


@pytest.mark.slow
def test_what_a_limit_in_seconds_cut_is_not_final(tmp_path: Path) -> None:
    database = make(tmp_path / "shop.sqlite", 300)
    slow = "SELECT count(*) FROM item a, item b, item c, item d"
    cases = [shop_case(1, database)]
    # The gold has the same limit, and a machine may stall.
    hasty = replace(LOCAL, limits=Limits(seconds=1, steps=10**12))
    first = run_cases(cases, tmp_path / "run", hasty, slow)
    (result,) = first.results()
    assert (result.reasons, result.final) == ((Reason.EXECUTION_TIMEOUT,), False)
    assert any(piece.cut_by_time for piece in result.evidence)
    again = run_cases(cases, tmp_path / "run", hasty, slow)
    assert len(again.resumed) == 1
    assert "1 case is done again" in again.resumed[0]
    limited = replace(LOCAL, limits=Limits(steps=10_000))
    (by_steps,) = run_cases(cases, tmp_path / "steps", limited, slow).results()
    assert (by_steps.reasons, by_steps.final) == ((Reason.EXECUTION_TIMEOUT,), True)


class Weak:
    """A metric that fails for want of something, until it is there."""

    name, version, parameters, binary = "weak", 1, (), True
    needs: frozenset[Any] = frozenset()
    broken = True

    def score(self, item: Any, parameter: str) -> Score:
        if self.broken:
            raise MemoryError
        return Score(1.0)


def test_a_fault_of_ours_that_may_go_away_is_done_again(
    tmp_path: Path, lines_of: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = Weak()
    monkeypatch.setattr(METRICS, "_members", dict(METRICS._members))
    METRICS.register(weak, "weak", "test")
    cases = [shop_case(1, make(tmp_path / "shop.sqlite", 3))]
    options = replace(LOCAL, metrics="ex,weak")
    first = run_cases(cases, tmp_path / "run", options)
    assert (first.estimate("ex").value, first.estimate("weak").value) == (1.0, None)
    weak.broken = False
    again = run_cases(cases, tmp_path / "run", options)
    assert (again.estimate("ex").value, again.estimate("weak").value) == (1.0, 1.0)
    run_cases(cases, tmp_path / "fresh", options)
    assert files_of(tmp_path / "run", lines_of) == files_of(tmp_path / "fresh", lines_of)


def test_a_database_that_changes_while_the_run_goes_on_ends_it(tmp_path: Path) -> None:
    database = make(tmp_path / "shop.sqlite", 3)

    def pairs() -> Iterator[tuple[Case, Prediction]]:
        for number in range(4):
            if number == 2:
                make(database, 4)
            yield shop_case(number, database), Prediction(str(number), "SELECT 3")

    with pytest.raises(Interrupted, match="shop changed") as stopped:
        evaluate_pairs(pairs(), out=tmp_path / "run", digest="fixed", options=LOCAL)
    assert continues(stopped.value)
    assert not (tmp_path / "run" / "summary.json").exists()
    steady = [(shop_case(n, database), Prediction(str(n), "SELECT 3")) for n in range(4)]
    run = evaluate_pairs(steady, out=tmp_path / "run", digest="fixed", options=LOCAL)
    assert run.estimate("ex").value == 0.0


def test_a_database_of_a_test_suite_that_changed_is_noticed(tmp_path: Path) -> None:
    own = make(tmp_path / "shop" / "shop.sqlite", 3)
    other = make(tmp_path / "shop" / "other.sqlite", 3)
    options = replace(LOCAL, metrics="ts")
    assert run_cases([shop_case(1, own)], tmp_path / "run", options).estimate("ts").value == 1.0
    make(other, 4)
    again = run_cases([shop_case(1, own)], tmp_path / "run", options)
    assert again.estimate("ts").value == 0.0


def test_a_schema_read_before_a_database_changed_is_not_used_after_it(tmp_path: Path) -> None:
    """In one process: the schema of the earlier file was remembered by its path."""
    database = tmp_path / "shop.sqlite"
    gold, prediction = "SELECT count(*) FROM item", "SELECT count(name) FROM item"
    options = replace(LOCAL, metrics="proved")
    for column, proved in (("name TEXT NOT NULL", 1.0), ("name TEXT", 0.0)):
        database.unlink(missing_ok=True)
        with closing(sqlite3.connect(database)) as connection:
            connection.execute(f"CREATE TABLE item (id INTEGER PRIMARY KEY, {column})")
        case = Case("1", "shop", "?", (gold,), str(database))
        run = evaluate([case], {"1": prediction}, options=options)
        assert run.estimate("proved").value == proved


def test_schemas_that_changed_are_another_run(tmp_path: Path) -> None:
    from sqlverdict.parse.schemas.load import load_schemas

    file = tmp_path / "shop.sql"
    case = Case("1", "shop", "?", (GOLD,))
    for number, ddl in enumerate(
        ("CREATE TABLE item (id INT)", "CREATE TABLE item (id INT, b INT)")
    ):
        file.write_text(ddl)
        options = replace(LOCAL, metrics="esm", schemas=load_schemas(file))
        if number:
            with refuses_run("another_run", "schemas changed"):
                evaluate([case], {"1": GOLD}, out=tmp_path / "run", options=options)
        else:
            evaluate([case], {"1": GOLD}, out=tmp_path / "run", options=options)


def test_a_result_stands_for_its_own_case_and_prediction_alone(
    tmp_path: Path, lines_of: Lines
) -> None:
    """Lines were paired with cases by their position: one case was lost, another there twice."""
    database = make(tmp_path / "shop.sqlite", 3)
    cases = [shop_case(number, database) for number in range(4)]
    whole = as_benchmark(cases)
    predictions = {case.id: f"SELECT {int(case.id) + 2}" for case in cases}

    def run(numbers: list[int], predictions: dict[str, str], out: str) -> Run:
        # As a reader does that cuts cases off, or reads the same file otherwise.
        part = replace(whole, cases=[cases[number] for number in numbers], count=len(numbers))
        system = System("s", as_predictions(predictions), tmp_path / out, digest="the same file")
        return evaluate_systems(part, [system], options=LOCAL)[0]

    run([0, 2], predictions, "run")
    again = run([0, 1, 2, 3], predictions, "run")
    assert [line["id"] for line in lines_of(tmp_path / "run")] == ["0", "1", "2", "3"]
    words = "again: their question, gold or prediction has changed"
    assert again.resumed == (f"1 case is done {words}",)
    assert again.estimate("ex").value == 0.25
    other = {**predictions, "0": "SELECT 3"}
    assert run([0, 1, 2, 3], other, "run").estimate("ex").value == 0.5
    run([0, 1, 2, 3], other, "fresh")
    assert files_of(tmp_path / "run", lines_of) == files_of(tmp_path / "fresh", lines_of)


def test_another_preset_is_another_run(tmp_path: Path) -> None:
    database = make(tmp_path / "shop.sqlite", 3)
    cases = [Case("1", "shop", "?", ("SELECT name FROM item",), str(database))]
    options = replace(LOCAL, metrics="verdict", policy="results", preset="bird")
    distinct = "SELECT DISTINCT name FROM item"
    assert run_cases(cases, tmp_path / "run", options, distinct).estimate("verdict").value == 1.0
    with refuses_run("another_run", "preset"):
        run_cases(cases, tmp_path / "run", replace(options, preset="strict"), distinct)


def test_predictions_that_changed_are_named(tmp_path: Path) -> None:
    cases = [shop_case(1, make(tmp_path / "shop.sqlite", 3))]
    run_cases(cases, tmp_path / "run")
    with refuses_run("another_run", "the predictions changed") as error:
        run_cases(cases, tmp_path / "run", prediction="SELECT 4")
    assert options_of(error.value) == [OptionName("out"), OptionName("overwrite", True)]


def test_an_edited_line_is_evaluated_again(tmp_path: Path, lines_of: Lines) -> None:
    cases = [shop_case(n, make(tmp_path / "shop.sqlite", 4)) for n in range(3)]
    assert run_cases(cases, tmp_path / "run").estimate("ex").value == 0.0
    log = tmp_path / "run" / "results.jsonl"
    before = files_of(tmp_path / "run", lines_of)
    log.write_bytes(log.read_bytes().replace(b'"ex":0.0', b'"ex":1.0', 1))
    again = run_cases(cases, tmp_path / "run")
    assert again.estimate("ex").value == 0.0
    assert "checksum" in again.resumed[0]
    assert files_of(tmp_path / "run", lines_of) == before


def test_two_runs_at_the_same_time_in_one_folder(tmp_path: Path) -> None:
    """1,033 of 1,034 lines were lost."""
    database = make(tmp_path / "shop.sqlite", 3)
    begun, blocked = threading.Event(), threading.Event()
    errors: list[RunLogError] = []

    def pairs() -> Iterator[tuple[Case, Prediction]]:
        for number in range(50):
            if number == 40:
                begun.set()
                assert blocked.wait(HANG_SECONDS)
            yield shop_case(number, database), Prediction(str(number), "SELECT 3")

    def second() -> None:
        begun.wait(HANG_SECONDS)
        try:
            evaluate(
                [shop_case(0, database)], {"0": "SELECT 3"}, out=tmp_path / "run", options=LOCAL
            )
        except RunLogError as error:
            errors.append(error)
        finally:
            blocked.set()

    thread = threading.Thread(target=second)
    thread.start()
    run = evaluate_pairs(pairs(), out=tmp_path / "run", options=LOCAL)
    thread.join()
    (error,) = errors
    assert options_of(error) == [OptionName("out")]
    assert f"process {os.getpid()}" in str(error)
    assert [result.index for result in run.results()] == list(range(50))


class Stop(BaseException):
    """The process is killed here."""


@pytest.mark.slow
@pytest.mark.parametrize("finished", [False, True])
def test_a_kill_between_any_two_files_leaves_a_run_that_can_be_resumed(
    finished: bool, tmp_path: Path, lines_of: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = make(tmp_path / "shop.sqlite", 3)
    cases = [shop_case(n, database) for n in range(3)]
    run_cases(cases, tmp_path / "fresh")
    expected = files_of(tmp_path / "fresh", lines_of)
    steps = 0
    usual = {name: getattr(Path, name) for name in ("replace", "unlink", "open", "mkdir")}
    for stop in range(1, 60):
        out = tmp_path / f"run{stop}"
        if finished:
            make(database, 4)
            run_cases(cases, out)
            make(database, 3)
        steps = 0

        def step(name: str, stop: int = stop) -> Callable[..., Any]:
            def act(*args: Any, **options: Any) -> Any:
                nonlocal steps
                if str(args[0]).startswith(str(tmp_path / "run")):
                    steps += 1
                    if steps == stop:
                        raise Stop
                return usual[name](*args, **options)

            return act

        with monkeypatch.context() as patch:
            for name in usual:
                patch.setattr(Path, name, step(name))
            try:
                run_cases(cases, out)
                killed = False
            except Stop:
                killed = True
        run_cases(cases, out)
        assert files_of(out, lines_of) == expected, f"stopped at step {stop}"
        if not killed:
            break
    assert stop > 6, "nothing was interrupted"
    assert not killed


def test_half_written_files_of_a_killed_run_go_and_files_of_others_stay(tmp_path: Path) -> None:
    cases, out = [shop_case(1, make(tmp_path / "a.sqlite", 3))], tmp_path / "run"
    (out / "witnesses").mkdir(parents=True)
    ours = [out / "summary.json.12-34.part", out / "witnesses" / "1-ab.sql.12-34.part"]
    others = [out / "film.part", out / "witnesses" / "notes.part"]
    for path in (*ours, *others):
        path.touch()
    run_cases(cases, out)
    assert [path.exists() for path in (*ours, *others)] == [False, False, True, True]


def test_each_run_has_its_witnesses_in_its_own_folder(tmp_path: Path) -> None:
    database = make(tmp_path / "shop.sqlite", 3)
    case = shop_case(1, database)
    lucky = {"1": "SELECT max(id) FROM item"}
    systems = [System(name, lucky, tmp_path / "runs" / name) for name in ("a", "b")]
    options = Options(
        "ex,witness_accuracy", workers=0, cache=None, search=SearchOptions(folder=Path("witnesses"))
    )
    for run in evaluate_systems([case], systems, options=options):
        (result,) = run.results()
        assert result.scores["witness_accuracy"] == 0
        file = next(piece.file for piece in result.evidence if isinstance(piece, Refuted))
        assert (run.folder / "witnesses" / file).is_file()
        assert (run.folder / "witnesses" / file).with_suffix(".sqlite").is_file()
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == ["a", "b"]


def test_a_finished_run_takes_time_linear_in_its_cases(tmp_path: Path) -> None:
    """The same call again reads each result a few times. Calls are counted: seconds are not."""
    database = make(tmp_path / "shop.sqlite", 3)
    calls = []
    for number in (0, 200, 600):
        cases = [shop_case(n, database) for n in range(number + 1)]
        run_cases(cases, tmp_path / f"run-{number}")
        profile = Profile()
        again = profile.runcall(run_cases, cases, tmp_path / f"run-{number}")
        assert again.resumed == ()
        calls.append(Stats(profile).total_calls)  # type: ignore[attr-defined]
    first, second = (calls[1] - calls[0]) / 200, (calls[2] - calls[1]) / 400
    assert second < 1.1 * first < 500
