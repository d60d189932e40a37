"""Labels of an earlier prediction: which later ones they hold for, at every door."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import UsageError
from sqlverdict.estimate.accuracy import estimate_accuracy
from sqlverdict.estimate.difference import estimate_difference
from sqlverdict.estimate.matching import carried_labels
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.votes import vote_digest
from sqlverdict.runlog.run import Run

CASES = 30
Predict = Callable[[int], str]
Evaluate = Callable[[str, Predict], Run]


def ordered(number: int) -> str:
    return f"SELECT name FROM item WHERE {number} < id ORDER BY name"


def unordered(number: int) -> str:
    return f"SELECT name FROM item WHERE {number} < id"


def with_id_first(number: int) -> str:
    return f"SELECT name FROM item WHERE id > {number} ORDER BY name"


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    """Evaluates predictions by the number of the case."""
    database = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.executescript(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT);"
            "INSERT INTO item VALUES (1, 'b'), (2, 'a'), (50, 'd'), (60, 'c');"
        )

    def run(name: str, predict: Predict) -> Run:
        lines = [
            json.dumps({"id": f"q{n}", "gold": with_id_first(n), "prediction": predict(n)})
            for n in range(CASES)
        ]
        cases = tmp_path / f"{name}.jsonl"
        cases.write_text("\n".join(lines))
        folder = tmp_path / name
        done = invoke(
            "evaluate",
            "--cases",
            cases,
            "--databases",
            database,
            "--metrics",
            "ex",
            "--out",
            folder,
        )
        assert done[0] == 0, done[1]
        return sv.read_run(folder)

    return run


def invoke(*args: object) -> tuple[int, str]:
    done = CliRunner().invoke(sqlverdict, [str(arg) for arg in args])
    return done.exit_code, done.output


def sheet(path: Path, predict: Predict, value: int = 1) -> Path:
    """A sheet with a label of each case, which names the prediction."""
    lines = [
        json.dumps({"id": f"q{n}", "label": value, "prediction": predict(n)}) for n in range(CASES)
    ]
    path.write_text("\n".join(lines))
    return path


def panel(path: Path, predict: Predict) -> Path:
    """Exported votes of a queue that drew every case."""
    lines = [
        json.dumps(
            {
                "id": f"q{n}", "annotator": "ann", "label": "right", "pair": f"earlier {n}",
                "prediction": predict(n), "stratum": "all", "stratum_size": CASES,
                "sampling_probability": 1.0,
            }
        )
        for n in range(CASES)
    ]  # fmt: skip
    path.write_text("\n".join(lines))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("write", [sheet, panel])
def test_a_label_does_not_hold_for_a_query_that_lost_its_order(
    evaluate: Evaluate, tmp_path: Path, write: Callable[[Path, Predict], Path]
) -> None:
    later = evaluate("later", unordered)
    labels = write(tmp_path / "panel.jsonl", ordered)
    code, text = invoke("check", later.folder, "--labels", labels, "--min-accuracy", "0.9")
    assert code == 7, text
    assert text.count("needs a label: ") == CASES
    code, text = invoke("estimate", later.folder, "--labels", labels)
    assert "100.0%" not in text
    assert not later.accuracy(labels).share.labels


@pytest.mark.parametrize("write", [sheet, panel])
def test_a_label_holds_for_a_query_that_is_proved_equal_both_ways(
    evaluate: Evaluate, tmp_path: Path, write: Callable[[Path, Predict], Path]
) -> None:
    later = evaluate("later", with_id_first)
    labels = write(tmp_path / "panel.jsonl", ordered)
    code, text = invoke("check", later.folder, "--labels", labels, "--min-accuracy", "0.8")
    assert code == 0, text
    assert f"({CASES} labels" in text
    code, text = invoke("estimate", later.folder, "--labels", labels)
    assert (code, "100.0%" in text) == (0, True), text


def test_a_proof_is_asked_for_in_both_directions(evaluate: Evaluate, tmp_path: Path) -> None:
    later = evaluate("later", unordered)
    labels = read_labels(sheet(tmp_path / "labels.jsonl", ordered))
    questions = []

    def one_way(_case: str, gold: str, _prediction: str) -> bool:
        questions.append("ORDER BY" in gold)
        return "ORDER BY" not in gold

    assert not carried_labels(later.results(), labels, one_way)
    assert not carried_labels(later.results(), labels, lambda *each: not one_way(*each))
    assert {*questions} == {True, False}
    assert len(carried_labels(later.results(), labels, lambda *_: True)) == CASES


def test_a_sheet_keeps_its_labels_for_identical_predictions(
    evaluate: Evaluate, tmp_path: Path
) -> None:
    labels = sheet(tmp_path / "labels.jsonl", ordered)
    same = evaluate("same", ordered).accuracy(labels)
    assert (same.share.value, same.share.labels, same.needed) == (1.0, CASES, ())


def test_the_order_of_two_runs_only_turns_the_sign(evaluate: Evaluate, tmp_path: Path) -> None:
    """Each order of naming asks for the same proofs."""
    first, second = evaluate("first", ordered), evaluate("second", unordered)
    lines = [
        {"id": each.id, "annotator": "ann", "label": value,
         "pair": vote_digest(each.id, each.gold, each.prediction), "prediction": each.prediction,
         "stratum": "all", "stratum_size": 2 * CASES, "sampling_probability": 1.0}
        for run, value in ((first, "right"), (second, "wrong"))
        for each in run.results()
    ]  # fmt: skip
    votes = tmp_path / "votes.jsonl"
    votes.write_text("\n".join(map(json.dumps, lines)))
    outcomes = []
    for runs in ((first, second), (second, first)):
        code, text = invoke("estimate", *(run.folder for run in runs), "--labels", votes, "--json")
        assert code == 0, text
        outcomes.append(json.loads(text))
    one, other = outcomes
    assert one["proved"] == other["proved"] == 0
    assert one["value"] == -other["value"] == 1.0
    assert (one["low"], one["high"]) == (-other["high"], -other["low"])
    assert one["first"] == other["second"]


def test_the_difference_asks_in_both_directions(evaluate: Evaluate, tmp_path: Path) -> None:
    first, second = evaluate("first", ordered), evaluate("second", unordered)
    labels = read_labels(sheet(tmp_path / "labels.jsonl", ordered))
    for which, runs in (("second", (first, second)), ("first", (second, first))):
        with pytest.raises(UsageError, match=f"the {which} run alone"):
            estimate_difference(
                runs[0].results(), runs[1].results(), labels,
                lambda _case, gold, _prediction: "ORDER BY" not in gold,
            )  # fmt: skip
    carried = carried_labels(second.results(), labels, lambda *_: True)
    assert estimate_accuracy(second.results(), labels, carried=carried).share.value == 1.0
