"""SParC, CoSQL and conversations in users' own files: what is read, paired and refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from error_parts import refuses_data
from sqlverdict import evaluate, evaluate_trials
from sqlverdict.audit.recover_predictions import recover_predictions
from sqlverdict.cli.options.predictions import PredictionArgs, read_systems
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import BenchmarkError, PredictionError, UsageError
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark
from sqlverdict.load.predictions import Predictions, load_predictions
from sqlverdict.records import Case
from talks import PREDICTIONS, TALKS, gold_text, interactions, write_cosql, write_sparc

IDS = [f"{n}_{turn}" for n, talk in enumerate(TALKS) for turn in range(1, len(talk) + 1)]


def read(name: str, root: Path, **more: Any) -> Benchmark:
    return BENCHMARKS.get(name).read(root, **more)


@pytest.mark.parametrize(("name", "write"), [("sparc", write_sparc), ("cosql", write_cosql)])
def test_each_turn_is_a_case_with_the_questions_before_it(
    tmp_path: Path, name: str, write: Any
) -> None:
    benchmark = read(name, write(tmp_path))
    cases = list(benchmark.cases)
    assert [case.id for case in cases] == IDS
    assert benchmark.case_names() == [(case_id, "shop") for case_id in IDS]
    assert (benchmark.count, benchmark.sessions) == (11, (2, 3, 6))
    last = cases[-1]
    assert (last.session, last.turn, last.question) == ("2", 6, "Backwards.")
    assert last.earlier == tuple(question for question, _ in TALKS[2][:5])
    assert last.golds == (TALKS[2][5][1],)
    assert last.database == str(tmp_path / "database/shop/shop.sqlite")
    assert cases[0].earlier == ()
    assert [case.difficulty for case in cases[:2]] == ["easy", "easy"]
    assert "In one question" not in repr(cases)
    plain = read(name, tmp_path, options={"difficulty": "off"})
    assert {case.difficulty for case in plain.cases} == {None}


def test_a_gold_file_has_conversations_and_no_questions(tmp_path: Path) -> None:
    write_sparc(tmp_path)
    (tmp_path / "dev.json").unlink()
    (tmp_path / "dev_gold.txt").write_text(gold_text(), "utf-8")
    for root in (tmp_path, tmp_path / "dev_gold.txt"):
        benchmark = read("sparc", root)
        cases = list(benchmark.cases)
        assert [(case.id, case.session, case.turn) for case in cases][:3] == [
            ("0_1", "0", 1),
            ("0_2", "0", 2),
            ("1_1", "1", 1),
        ]
        assert all(case.earlier == () and case.question == "" for case in cases)
        assert any("no questions" in note for note in benchmark.notes)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ([{"database_id": "shop", "interaction": "no list"}], "missing_field"),
        (
            [{"database_id": "shop", "interaction": [{"utterance": "Without a gold?"}]}],
            "missing_field",
        ),
        ([{"interaction": interactions()[0]["interaction"]}], "missing_field"),
        ([{"database_id": "shop", "interaction": []}], "empty"),
        ([], "empty"),
    ],
)
def test_a_file_that_is_no_conversation_is_refused(
    tmp_path: Path, content: Any, reason: DataReason
) -> None:
    (tmp_path / "dev.json").write_text(json.dumps(content), "utf-8")
    with refuses_data(BenchmarkError, reason, "dev.json"):
        read("sparc", tmp_path)


def test_a_conversation_on_two_databases_lacks_a_blank_line(tmp_path: Path) -> None:
    (tmp_path / "dev_gold.txt").write_text("SELECT 1\ta\nSELECT 2\tb\n", "utf-8")
    with refuses_data(BenchmarkError, "conflict", "blank line"):
        read("sparc", tmp_path)


@pytest.fixture
def benchmark(tmp_path: Path) -> Benchmark:
    return read("sparc", write_sparc(tmp_path / "sparc"))


def pair(path: Path, benchmark: Benchmark) -> Predictions:
    return load_predictions(path, IDS, sessions=benchmark.sessions)


FLAT = [sql for turns in PREDICTIONS for sql in turns]


@pytest.mark.parametrize("between", ["\n", "\n\n", "\n\n\n"])
@pytest.mark.parametrize("ending", ["", "\tshop"])
def test_blank_lines_between_conversations_shift_nothing(
    tmp_path: Path, benchmark: Benchmark, between: str, ending: str
) -> None:
    file = tmp_path / "mine.txt"
    parts = ("\n".join(f"{sql}{ending}" for sql in turns) for turns in PREDICTIONS)
    file.write_text(between.join(parts) + "\n", "utf-8")
    loaded = pair(file, benchmark)
    assert {case_id: one.sql for case_id, one in loaded.items()} == dict(
        zip(IDS, FLAT, strict=True)
    )
    recovered = recover_predictions(file, list(benchmark.cases))
    assert [(entry.case_id, entry.prediction.sql) for entry in recovered.entries] == list(
        zip(IDS, FLAT, strict=True)
    )
    assert recovered.problems == []


@pytest.mark.parametrize(
    ("lines", "reason", "says"),
    [
        # As many lines as cases, one of them a separator: a prediction is missing.
        ([*FLAT[:2], "", *FLAT[2:4], *FLAT[5:]], "mismatch", "conversation 1"),
        ([*FLAT[:1], "", *FLAT[1:]], "mismatch", "conversation 0"),
        ([*FLAT[:2], "", *FLAT[2:5]], "mismatch", "2 conversations"),
        (FLAT[:-1], "mismatch", "expected 11"),
    ],
)
def test_a_line_too_few_is_an_error(
    tmp_path: Path, benchmark: Benchmark, lines: list[str], reason: DataReason, says: str
) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("\n".join(lines) + "\n", "utf-8")
    with refuses_data(PredictionError, reason, says):
        pair(file, benchmark)
    if "" in lines:
        assert recover_predictions(file, list(benchmark.cases)).problems


def test_own_conversations_may_have_blank_lines_between_them(tmp_path: Path) -> None:
    database = write_sparc(tmp_path / "shop") / "database/shop/shop.sqlite"
    records = [
        {"id": case_id, "session": case_id[0], "turn": int(case_id[2]), "gold": sql}
        for case_id, sql in zip(IDS, FLAT, strict=True)
    ]
    file = tmp_path / "mine.txt"
    file.write_text("\n\n".join("\n".join(turns) for turns in PREDICTIONS), "utf-8")
    run = evaluate(records, file, db=database)
    assert run.summary.interactions[0].value == 1.0
    # As many lines as cases, one of them between two conversations: never an empty prediction.
    file.write_text("\n".join([*FLAT[:2], "", *FLAT[3:]]), "utf-8")
    with refuses_data(PredictionError, "mismatch", "conversation 1"):
        evaluate(records, file, db=database)
    cases = tmp_path / "cases.jsonl"
    cases.write_text("\n".join(json.dumps({**one, "db_id": "shop"}) for one in records))
    with refuses_data(PredictionError, "mismatch", "conversation 1"):
        read_systems(PredictionArgs(predictions=(str(file),)), read("jsonl", cases), {})


def test_predictions_by_id_need_no_order(tmp_path: Path, benchmark: Benchmark) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(dict(zip(reversed(IDS), reversed(FLAT), strict=True))), "utf-8")
    assert pair(file, benchmark)["2_6"].sql == FLAT[-1]


RECORDS: list[dict[str, Any]] = [
    {"id": "a", "session": "x", "turn": 1, "question": "All items?", "gold": "SELECT 1"},
    {"id": "b", "session": "y", "turn": 1, "question": "All kinds?", "gold": "SELECT 2"},
    {"id": "c", "question": "Alone?", "gold": "SELECT 3"},
    {"id": "d", "session": "x", "turn": 2, "question": "How many?", "gold": "SELECT 4"},
]


def own_cases(folder: Path, records: list[dict[str, Any]], kind: str) -> list[Case]:
    write_sparc(folder / "shop")
    database = folder / "shop/database/shop/shop.sqlite"
    records = [{**record, "database": str(database)} for record in records]
    file = folder / f"cases.{kind}"
    if kind == "jsonl":
        file.write_text("\n".join(map(json.dumps, records)), "utf-8")
    else:
        names = list(dict.fromkeys(name for record in records for name in record))
        lines = [names, *([str(record.get(name, "")) for name in names] for record in records)]
        file.write_text("\n".join(";".join(line) for line in lines), "utf-8")
    return list(BENCHMARKS.get(kind).read(file).cases)


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_own_files_may_hold_conversations(tmp_path: Path, kind: str) -> None:
    cases = own_cases(tmp_path, RECORDS, kind)
    assert [(case.session, case.turn, case.earlier) for case in cases] == [
        ("x", 1, ()),
        ("y", 1, ()),
        ("", None, ()),
        ("x", 2, ("All items?",)),
    ]
    assert "session" not in repr(cases[2].turn_fields)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"turn": None}, "missing_field"),
        ({"session": None}, "missing_field"),
        ({"turn": 3}, "wrong_value"),
        ({"turn": "second"}, "wrong_value"),
        ({"turn": 0}, "wrong_value"),
        ({"earlier": "no list"}, "wrong_value"),
        ({"earlier": ["one", "two"]}, "wrong_value"),
    ],
)
def test_a_turn_out_of_order_is_refused(
    tmp_path: Path, change: dict[str, Any], reason: DataReason
) -> None:
    records = [*RECORDS[:3], {**RECORDS[3], **change}]
    with refuses_data(BenchmarkError, reason, "line 4"):
        own_cases(tmp_path, records, "jsonl")


def test_a_turn_that_stands_alone_says_what_was_asked(tmp_path: Path) -> None:
    record = {**RECORDS[3], "turn": 3, "earlier": ["All items?", "Only pens?"]}
    (case,) = own_cases(tmp_path, [record], "jsonl")
    assert case.earlier == ("All items?", "Only pens?")
    assert case.question_lines == (
        "Turn 1: All items?",
        "Turn 2: Only pens?",
        "Turn 3, asked now: How many?",
    )


def test_records_in_memory_with_trials_are_one_turn(tmp_path: Path) -> None:
    database = write_sparc(tmp_path / "shop") / "database/shop/shop.sqlite"
    records = [
        {**record, "trial": str(trial), "prediction": record["gold"]}
        for record in RECORDS
        for trial in (1, 2)
    ]
    trials = evaluate_trials(records, db=database)
    assert [run["d"].turn for run in trials.runs] == [2, 2]
    run = evaluate([{**one, "prediction": "SELECT 1"} for one in RECORDS], db=database)
    assert run["d"].earlier == ("All items?",)
    assert run.summary.sessions == 2


def test_a_case_is_whole_or_no_turn() -> None:
    for wrong in ({"session": "x"}, {"turn": 1}, {"session": "x", "turn": 0}):
        with pytest.raises(UsageError):
            Case("1", "shop", "?", **wrong)  # type: ignore[arg-type]
    with pytest.raises(UsageError):
        Case("1", "shop", "?", session="x", turn=1, earlier=("more than turns",))
