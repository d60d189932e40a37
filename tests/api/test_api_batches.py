"""BatchEvaluator: the container comes back with results, and nothing in a row ends the work."""

from __future__ import annotations

import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from sqlverdict.api.scorer import Scorer

GOLD = "SELECT name FROM t WHERE n > 1"
RECORDS: list[dict[str, Any]] = [
    {"id": 1, "gold": GOLD, "prediction": "SELECT name FROM t WHERE n >= 2"},
    {"id": 2, "gold": GOLD, "prediction": "SELECT name FROM t"},
    {"id": 3, "gold": GOLD, "prediction": "SELECT absent FROM t"},
    {"id": 4, "gold": GOLD, "prediction": None},
    {"id": 5, "gold": "SELECT absent FROM t", "prediction": "SELECT 1"},
    {"id": 6, "gold": None, "prediction": None},
]
SCORES = [1.0, 0.0, 0.0, 0.0, None, None]
VERDICTS = ["correct", "incorrect", "incorrect", "incorrect", "unscored", "incorrect"]


def columns_of(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    return {name: [record[name] for record in records] for name in records[0]}


def test_a_list_of_dicts_comes_back_as_one(db: Path) -> None:
    rows = sv.BatchEvaluator(db=db)(RECORDS)
    assert [row["score"] for row in rows] == SCORES
    assert [row["verdict"] for row in rows] == VERDICTS
    assert [row["id"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[2]["reasons"] == "EXECUTION_ERROR"
    assert "score" not in RECORDS[0], "the batch that was given is left alone"


def test_a_dict_of_columns_comes_back_as_one(db: Path) -> None:
    batch = columns_of(RECORDS)
    result = sv.BatchEvaluator(db=db)(batch)
    assert list(result) == [*batch, "score", "verdict", "reasons", "message"]
    assert (result["score"], result["verdict"]) == (SCORES, VERDICTS)


def test_columns_may_be_arrays_of_numpy(db: Path) -> None:
    """Ray Data gives these by default; a missing text is NaN or None."""
    numpy = pytest.importorskip("numpy")
    batch = {
        name: numpy.array(column, dtype=object) for name, column in columns_of(RECORDS).items()
    }
    batch["prediction"][3] = numpy.nan
    assert sv.BatchEvaluator(db=db)(batch)["score"] == SCORES
    plain = numpy.array([GOLD, GOLD])
    assert sv.BatchEvaluator(db=db)({"gold": plain, "prediction": plain})["score"] == [1.0, 1.0]
    several = numpy.empty(1, dtype=object)
    several[0] = numpy.array(["SELECT 1", GOLD])
    batch = {"gold": several, "prediction": plain[:1]}
    assert sv.BatchEvaluator(db=db)(batch)["score"] == [1.0]


@pytest.mark.slow
def test_a_frame_keeps_its_index_and_types_do_not_depend_on_values(db: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(RECORDS, index=[f"row{number}" for number in range(6)])
    evaluator = sv.BatchEvaluator(metrics="ex,ex[bird]", db=db)
    result = evaluator(frame)
    assert list(result.index) == list(frame.index)
    assert [None if value != value else value for value in result["score"]] == SCORES
    assert list(result["verdict"]) == VERDICTS
    assert "score" not in frame
    for part in (frame[:0], frame[4:5], frame[:1]):
        assert evaluator(part).dtypes.equals(result.dtypes)


def empty_cells() -> list[Any]:
    cells: list[Any] = [None, float("nan"), ""]
    pandas = pytest.importorskip("pandas")
    return [*cells, pandas.NA, pandas.NaT]


@pytest.mark.slow
def test_an_empty_cell_is_a_missing_prediction_and_never_an_abstention(db: Path) -> None:
    evaluator = sv.BatchEvaluator(db=db)
    for cell in empty_cells():
        rows = [{"gold": gold, "prediction": cell} for gold in (GOLD, None)]
        for row, score in zip(evaluator(rows), (0.0, None), strict=True):
            outcome = (row["score"], row["verdict"], row["reasons"])
            assert outcome == (score, "incorrect", "NO_SQL_PRODUCED"), repr(cell)
            assert "no prediction" in row["message"]


def test_an_abstention_is_a_column_that_says_so(db: Path) -> None:
    numpy = pytest.importorskip("numpy")
    rows = [
        {"gold": gold, "prediction": None, "abstained": flag}
        for gold in (GOLD, None)
        for flag in (True, numpy.True_, False, None, float("nan"))
    ]
    verdicts = [row["verdict"] for row in sv.BatchEvaluator(db=db)(rows)]
    assert verdicts == [
        *(["abstained_wrong"] * 2 + ["incorrect"] * 3),
        *(["abstained_right"] * 2 + ["incorrect"] * 3),
    ]
    pandas = pytest.importorskip("pandas")
    frame = sv.BatchEvaluator(db=db)(pandas.DataFrame(rows))
    assert list(frame["verdict"]) == verdicts


def test_further_metrics_have_columns_of_their_own(db: Path) -> None:
    rows = sv.BatchEvaluator(metrics="ex,text_match", db=db)(RECORDS[:2])
    assert [(row["score"], row["text_match"]) for row in rows] == [(1.0, 0.0), (0.0, 0.0)]


def test_databases_stand_in_the_batch(db: Path) -> None:
    rows = [{"gold": GOLD, "prediction": GOLD, "db_id": name} for name in ("shop", "absent")]
    assert [row["score"] for row in sv.BatchEvaluator(databases=db.parent)(rows)] == [1.0, None]
    paths = [{"gold": GOLD, "prediction": GOLD, "db": db}]
    assert sv.BatchEvaluator()(paths)[0]["score"] == 1.0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"gold": GOLD, "prediction": 5}, "a prediction is int"),
        ({"gold": "", "prediction": GOLD}, "a gold is ''"),
        ({"gold": GOLD, "prediction": GOLD, "db": 7}, "a database is int"),
        ({"gold": GOLD, "prediction": GOLD, "abstained": True}, "both abstains"),
        ({"gold": GOLD, "prediction": None, "abstained": "perhaps"}, "expected true or false"),
        (
            {"gold": GOLD, "prediction": GOLD, "db": None, "db_id": "x"},
            "needs the argument databases=",
        ),
    ],
)
def test_a_row_that_cannot_be_read_is_an_unscored_row(
    db: Path, row: dict[str, Any], message: str
) -> None:
    good = {"gold": GOLD, "prediction": GOLD}
    first, second = sv.BatchEvaluator(db=db)([row, good])
    assert (first["score"], first["verdict"]) == (None, "unscored")
    assert message in first["message"]
    assert second["score"] == 1.0


def test_a_bug_of_ours_is_an_unscored_row(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh")

    evaluator = sv.BatchEvaluator(db=db)
    monkeypatch.setattr(Scorer, "check", fail)
    (row,) = evaluator(RECORDS[:1])
    assert (row["score"], row["reasons"], row["message"]) == (
        None,
        "TOOLKIT_ERROR",
        "ZeroDivisionError: oh",
    )


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ([{"gold": GOLD}], "no column 'prediction'"),
        ({"gold": [GOLD], "sql": [GOLD]}, "'prediction'; it has gold, sql"),
        ({"gold": [GOLD], "prediction": []}, "different lengths"),
        ([{"gold": GOLD, "prediction": GOLD, "score": 1}], "prefix="),
        (["SELECT 1"], "a row is str"),
        ("SELECT 1", "a batch is str"),
    ],
)
def test_what_is_no_batch_is_refused(db: Path, batch: Any, message: str) -> None:
    with pytest.raises(sv.SqlverdictError, match=message):
        sv.BatchEvaluator(db=db)(batch)


def test_names_can_be_mapped_and_prefixed(db: Path) -> None:
    evaluator = sv.BatchEvaluator(db=db, columns={"sql": "gold", "bot": "prediction"}, prefix="sv_")
    rows = evaluator([{"sql": GOLD, "bot": GOLD, "score": 7}])
    assert (rows[0]["sv_score"], rows[0]["score"]) == (1.0, 7)
    with pytest.raises(sv.SqlverdictError, match="'golds'"):
        sv.BatchEvaluator(columns={"sql": "golds"})
    with pytest.raises(TypeError):
        sv.BatchEvaluator(databse="x")


def test_empty_batches_come_back_empty(db: Path) -> None:
    evaluator = sv.BatchEvaluator(db=db)
    assert evaluator([]) == []
    assert evaluator({"gold": [], "prediction": []})["score"] == []


def test_a_pickled_evaluator_gives_the_same_after_use_and_in_threads(db: Path) -> None:
    evaluator = sv.BatchEvaluator(db=db)
    expected = evaluator(RECORDS)
    assert pickle.loads(pickle.dumps(evaluator))(RECORDS) == expected
    assert sv.BatchEvaluator(db=db, threads=4)(RECORDS * 8) == expected * 8
    evaluator.close()
    assert evaluator(RECORDS) == expected


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", "fork"])
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_an_evaluator_travels_to_other_processes(db: Path, method: str) -> None:
    evaluator = sv.BatchEvaluator(db=db)
    expected = evaluator(RECORDS)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(evaluator, [RECORDS] * 4) == [expected] * 4
