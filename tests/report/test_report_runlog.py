"""The run log survives what happens to files: cuts, other orders, other versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.errors import RunLogError
from sqlverdict.records import RESULT_SCHEMA, Result
from sqlverdict.report.runlog import RESULTS, RunLog, read_results

Make = Callable[..., Result]

# A log that is refused leaves its file to the garbage collector, which says so.
left_open = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def write(folder: Path, results: list[Result]) -> None:
    log = RunLog(folder)
    log.append((result.index, msgspec.json.encode(result)) for result in results)
    log.close()


def test_a_torn_last_line_is_dropped_and_its_case_done_again(
    tmp_path: Path, make_result: Make
) -> None:
    write(tmp_path, [make_result(0), make_result(1)])
    path = tmp_path / RESULTS
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    log = RunLog(tmp_path)
    assert (log.count, log.has(0), log.has(1)) == (1, True, False)
    log.append([(1, msgspec.json.encode(make_result(1)))])
    log.finish()
    assert path.read_bytes() == whole


@given(cut=st.integers(0, 3000))
def test_a_cut_at_any_byte_leaves_whole_lines_that_can_be_completed(
    tmp_path_factory: pytest.TempPathFactory, make_result: Make, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    results = [make_result(index, question="é\n" * index) for index in range(5)]
    write(folder, results)
    path = folder / RESULTS
    whole = path.read_bytes()
    path.write_bytes(whole[: min(cut, len(whole))])
    log = RunLog(folder)
    missing = [result for result in results if not log.has(result.index)]
    log.append((result.index, msgspec.json.encode(result)) for result in missing)
    log.finish()
    assert path.read_bytes() == whole


def test_a_reader_passes_over_a_torn_last_line(tmp_path: Path, make_result: Make) -> None:
    write(tmp_path, [make_result(0), make_result(1)])
    path = tmp_path / RESULTS
    path.write_bytes(path.read_bytes()[:-10])
    assert [result.id for result in read_results(tmp_path)] == ["q0"]


@given(order=st.permutations(range(7)))
def test_lines_that_finish_in_any_order_end_in_the_order_of_the_cases(
    tmp_path_factory: pytest.TempPathFactory, make_result: Make, order: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("order")
    log = RunLog(folder)
    for index in order:
        log.append([(index, msgspec.json.encode(make_result(index)))])
    log.finish()
    assert [result.index for result in read_results(folder)] == list(range(7))
    assert sorted(path.name for path in folder.iterdir()) == [RESULTS]


def test_lines_out_of_order_are_ordered_after_a_resume_too(
    tmp_path: Path, make_result: Make
) -> None:
    write(tmp_path, [make_result(2), make_result(0)])
    log = RunLog(tmp_path)
    assert [log.has(index) for index in range(4)] == [True, False, True, False]
    log.append([(1, msgspec.json.encode(make_result(1)))])
    log.finish()
    assert [result.id for result in read_results(tmp_path)] == ["q0", "q1", "q2"]


@left_open
def test_damage_in_the_middle_is_refused_with_its_place(tmp_path: Path, make_result: Make) -> None:
    write(tmp_path, [make_result(0), make_result(1)])
    path = tmp_path / RESULTS
    path.write_bytes(b"garbage\n" + path.read_bytes())
    with pytest.raises(RunLogError, match="damaged at byte 0"):
        RunLog(tmp_path)
    with pytest.raises(RunLogError, match="line 1"):
        list(read_results(tmp_path))


@left_open
def test_a_newer_schema_is_refused_by_writer_and_reader(tmp_path: Path, make_result: Make) -> None:
    line = msgspec.json.decode(msgspec.json.encode(make_result(0))) | {"schema": RESULT_SCHEMA + 1}
    (tmp_path / RESULTS).write_bytes(msgspec.json.encode(line) + b"\n")
    with pytest.raises(RunLogError, match=f"schema {RESULT_SCHEMA + 1}"):
        RunLog(tmp_path)
    with pytest.raises(RunLogError, match="Update sqlverdict"):
        list(read_results(tmp_path))


def test_a_folder_without_a_run_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(RunLogError, match="Give the folder that evaluate wrote"):
        list(read_results(tmp_path / "nowhere"))
