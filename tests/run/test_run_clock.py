"""The same call in the same folder, where queries read dates or the clock."""

from __future__ import annotations

from pathlib import Path

from resume_parts import Lines, make, run_cases, shop_case

from sqlverdict.records import Case
from timeouts import wait_until


def test_a_date_of_the_data_is_no_clock(tmp_path: Path, lines_of: Lines) -> None:
    database = make(tmp_path / "shop.sqlite", 3)
    year = "SELECT count(*) FROM item WHERE strftime('%Y', name) = '2024'"
    cases = [Case("1", "shop", "?", (year,), str(database))]
    run_cases(cases, tmp_path / "run")
    assert [line["final"] for line in lines_of(tmp_path / "run")] == [True]
    assert run_cases(cases, tmp_path / "run").resumed == ()


def test_a_case_that_reads_the_clock_is_done_again(tmp_path: Path, lines_of: Lines) -> None:
    """Its answer is that of another moment."""
    database = make(tmp_path / "shop.sqlite", 3)
    clock = Case("1", "shop", "?", ("SELECT strftime('%s %f', 'now')",), str(database))
    cases = [clock, shop_case(2, database)]
    run_cases(cases, tmp_path / "run")
    first = lines_of(tmp_path / "run")
    assert [line["final"] for line in first] == [False, True]

    def has_moved_on() -> bool:
        run = run_cases(cases, tmp_path / "run")
        assert run.summary.cuts == {"gold_reads_clock": 1}
        assert [
            "1 case is done again: a query reads the clock" in text for text in run.resumed
        ] == [True]
        clock, steady = lines_of(tmp_path / "run")
        assert steady == first[1]
        return bool(clock["answers"] != first[0]["answers"])

    assert wait_until(has_moved_on)
