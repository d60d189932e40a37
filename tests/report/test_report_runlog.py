"""The run log survives what happens to files: cuts, other orders, other versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from error_parts import refuses_run
from sqlverdict.records import RESULT_SCHEMA, Result
from sqlverdict.runlog.log import RESULTS, RunLog, encode_result, read_results

Make = Callable[..., Result]

# A log that is refused leaves its file to the garbage collector, which says so.
left_open = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def write(folder: Path, results: list[Result]) -> None:
    log = RunLog(folder)
    log.append((result.index, encode_result(result)) for result in results)
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
    log.append([(1, encode_result(make_result(1)))])
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
    log.append((result.index, encode_result(result)) for result in missing)
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
        log.append([(index, encode_result(make_result(index)))])
    log.finish()
    assert [result.index for result in read_results(folder)] == list(range(7))
    assert sorted(path.name for path in folder.iterdir()) == [RESULTS]


def test_lines_out_of_order_are_ordered_after_a_resume_too(
    tmp_path: Path, make_result: Make
) -> None:
    write(tmp_path, [make_result(2), make_result(0)])
    log = RunLog(tmp_path)
    assert [log.has(index) for index in range(4)] == [True, False, True, False]
    log.append([(1, encode_result(make_result(1)))])
    log.finish()
    assert [result.id for result in read_results(tmp_path)] == ["q0", "q1", "q2"]


def test_damage_in_the_middle_is_refused_by_readers_and_done_again_by_a_resume(
    tmp_path: Path, make_result: Make
) -> None:
    write(tmp_path, [make_result(0), make_result(1)])
    path = tmp_path / RESULTS
    whole = path.read_bytes()
    path.write_bytes(b"garbage\n" + whole)
    with refuses_run("damaged", r"line 1: "):
        list(read_results(tmp_path))
    log = RunLog(tmp_path)
    assert (log.damaged, log.count) == (1, 2)
    log.finish()
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("text", "other"),
    [(b'"ex":0.0', b'"ex":1.0'), (b'"incorrect"', b'"correct"'), (b"SELECT 2", b"SELECT 1")],
)
def test_an_edited_line_is_noticed(
    text: bytes, other: bytes, tmp_path: Path, make_result: Make
) -> None:
    wrong = make_result(1, scores={"ex": 0.0}, verdict="incorrect", prediction="SELECT 2")
    write(tmp_path, [make_result(0), wrong, make_result(2)])
    path = tmp_path / RESULTS
    whole = path.read_bytes()
    assert whole.count(text) == 1
    path.write_bytes(whole.replace(text, other))
    with refuses_run("damaged", r"line 2 \(case 'q1'\)"):
        list(read_results(tmp_path))
    log = RunLog(tmp_path)
    assert [log.has(index) for index in range(3)] == [True, False, True]
    log.append([(1, encode_result(wrong))])
    log.finish()
    assert path.read_bytes() == whole


def test_a_field_behind_the_checksum_is_noticed(tmp_path: Path, make_result: Make) -> None:
    """JSON readers take the last of two fields of one name."""
    write(tmp_path, [make_result(0, scores={"ex": 0.0}, timings={"gold": 0.1})])
    path = tmp_path / RESULTS
    path.write_bytes(path.read_bytes().rstrip(b"}\n") + b'},"scores":{"ex":1.0}}\n')
    assert msgspec.json.decode(path.read_bytes())["scores"] == {"ex": 1.0}
    with refuses_run("damaged"):
        list(read_results(tmp_path))


def test_a_checksum_in_the_text_of_a_prediction_is_not_taken_for_the_line_s(
    tmp_path: Path, make_result: Make
) -> None:
    prediction = '","checksum":"0123456789abcdef","timings":{}}'
    write(tmp_path, [make_result(0, prediction=prediction, timings={"gold": 0.5})])
    (result,) = read_results(tmp_path)
    assert (result.prediction, result.timings) == (prediction, {"gold": 0.5})


def test_a_checksum_covers_all_but_the_timings(tmp_path: Path, make_result: Make) -> None:
    lines = [encode_result(make_result(0, timings={"gold": seconds})) for seconds in (0.1, 0.2)]
    first, second = (msgspec.json.decode(line) for line in lines)
    assert first["checksum"] == second["checksum"]
    assert list(first)[-2:] == ["checksum", "timings"]


def test_a_result_stands_while_it_is_final_and_its_database_is_the_same(
    tmp_path: Path, make_result: Make
) -> None:
    write(
        tmp_path,
        [
            make_result(0, database="aa"),
            make_result(1, database="aa", final=False),
            make_result(2, database="bb"),
        ],
    )
    log = RunLog(tmp_path)
    inputs = [make_result(index).inputs for index in range(4)]
    done = [log.is_done(index, "aa", inputs[index]) for index in range(4)]
    assert done == [True, False, False, False]
    assert not log.is_done(0, "aa", inputs[1]), "the line is about another case"
    assert [log.rests_on_other(index, "aa") for index in range(4)] == [False, False, True, False]
    assert log.standing == 2
    log.append(
        [(1, encode_result(make_result(1, database="aa"))), (2, encode_result(make_result(2)))]
    )
    log.finish()
    assert [(result.index, result.final) for result in read_results(tmp_path)] == [
        (0, True),
        (1, True),
        (2, True),
    ]


@left_open
@pytest.mark.parametrize(
    ("schema", "advice"),
    [(RESULT_SCHEMA + 1, "Update sqlverdict"), (RESULT_SCHEMA - 1, "Evaluate again")],
)
@pytest.mark.parametrize("evidence", [[], [{"type": "no such type", "by": "x"}]])
def test_another_schema_is_refused_by_writer_and_reader(
    tmp_path: Path, make_result: Make, schema: int, advice: str, evidence: list[object]
) -> None:
    line = msgspec.json.decode(encode_result(make_result(0)))
    line |= {"schema": schema, "evidence": evidence}
    (tmp_path / RESULTS).write_bytes(msgspec.json.encode(line) + b"\n")
    with refuses_run("another_version", f"schema {schema}, .* reads schema {RESULT_SCHEMA}"):
        RunLog(tmp_path)
    with refuses_run("another_version", advice):
        list(read_results(tmp_path))


def test_a_folder_without_a_run_says_what_to_give(tmp_path: Path) -> None:
    with refuses_run("missing"):
        list(read_results(tmp_path / "nowhere"))


def test_lines_that_were_not_written_do_not_count(tmp_path: Path, make_result: Make) -> None:
    """On a full disk the message named cases as done that were not in the file."""
    log = RunLog(tmp_path)
    log.append([(0, encode_result(make_result(0)))])

    def lines() -> Iterator[tuple[int, bytes]]:
        yield 1, encode_result(make_result(1))
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        log.append(lines())
    assert (log.count, log.has(1)) == (1, False)
    log.append([(1, encode_result(make_result(1)))])
    log.finish()
    assert [result.index for result in read_results(tmp_path)] == [0, 1]
