"""What all integrations share: fields by name, score, label, reason, small metadata."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from examples import BROKEN, GOLD, RIGHT, WRONG

import sqlverdict as sv
from sqlverdict.errors import MissingExtra, UsageError
from sqlverdict.integrations import common
from sqlverdict.integrations.common import PairGrader, load_framework


@pytest.mark.parametrize(
    ("output", "records", "score", "label"),
    [
        (RIGHT, [GOLD], 1, "correct"),
        (f"Sure:\n```sql\n{RIGHT}\n```", [{"gold": GOLD}], 1, "correct"),
        ({"sql": WRONG}, [None, {"golds": [GOLD, "SELECT 1"]}], 0, "incorrect"),
        ({"output": None}, [{"gold": GOLD}], 0, "abstained_wrong"),
        (None, [{"gold": None}], 1, "abstained_right"),
        (RIGHT, [{"gold": BROKEN}], None, "unscored"),
        (RIGHT, [{"gold": GOLD, "db": "absent.sqlite"}], None, "unscored"),
        ("no idea", [GOLD], 0, "incorrect"),
    ],
)
def test_a_pair_is_graded_whatever_holds_it(
    shop: Path, output: object, records: list[object], score: int | None, label: str
) -> None:
    grade = PairGrader(db=shop).grade(output, *records)
    assert (grade.score, grade.label) == (score, label)
    assert grade.reason
    assert "\n" not in grade.reason


def test_the_first_record_that_has_a_field_counts(shop: Path) -> None:
    grader = PairGrader(databases=shop.parent)
    assert grader.grade(RIGHT, {"gold": GOLD}, {"gold": WRONG, "db_id": "shop"}).score == 1


def test_a_field_that_is_null_gives_way_to_the_next_record(shop: Path) -> None:
    grader = PairGrader(databases=shop.parent)
    first = {"gold": GOLD, "db_id": None, "contract": None}
    assert grader.grade(RIGHT, first, {"gold": WRONG, "db_id": "shop"}).score == 1
    unanswerable = {"gold": None, "db_id": "shop"}
    assert grader.grade(None, unanswerable, {"gold": WRONG}).label == "abstained_right"


def test_fields_may_have_other_names(shop: Path) -> None:
    grader = PairGrader(keys={"gold": "query", "prediction": "answer"}, db=shop)
    assert grader.grade({"answer": RIGHT}, {"query": GOLD, "gold": WRONG}).score == 1


def test_fields_of_a_record_that_are_called_order_or_columns_are_no_contract(shop: Path) -> None:
    """A data set has such fields of its own: the number of a question, the columns of a table."""
    grader = PairGrader(db=shop)
    other = "SELECT name FROM item ORDER BY name DESC"
    for own in ({"order": 17}, {"order": "respect"}, {"columns": ["id", "name"]}):
        assert grader.grade(other, {"gold": "SELECT name FROM item", **own}).score == 1


@pytest.mark.parametrize(
    ("contract", "message"),
    [
        ({"order": "none"}, "'none' - at `$.order`"),
        ({"columns": ["id", "name"]}, "at `$.columns`"),
        ({"ordered": True}, "'ordered'"),
        ("C-17", "got `str`"),
    ],
)
def test_what_is_no_contract_is_refused(shop: Path, contract: object, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as refusal:
        PairGrader(db=shop).grade(RIGHT, {"gold": GOLD, "contract": contract})
    assert "keys={'contract'" in str(refusal.value)


def test_a_record_may_have_a_contract(shop: Path) -> None:
    gold = {"gold": "SELECT name FROM item ORDER BY price"}
    other = "SELECT name FROM item ORDER BY price DESC"
    grader = PairGrader(db=shop)
    assert grader.grade(other, gold).score == 0
    assert grader.grade(other, {**gold, "contract": {"order": "ignore"}}).score == 1
    assert grader.grade(other, {**gold, "contract": sv.Contract(order="ignore")}).score == 1


@pytest.mark.parametrize(
    ("output", "records", "message"),
    [
        (RIGHT, [{"db": "shop.sqlite"}], "no gold"),
        (RIGHT, [], "no gold"),
        ({"text": RIGHT}, [GOLD], "'text'"),
        (5, [GOLD], "a prediction is int"),
    ],
)
def test_what_cannot_be_read_raises_and_is_no_score(
    shop: Path, output: object, records: list[object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        PairGrader(db=shop).grade(output, *records)


def test_wrong_options_raise(shop: Path) -> None:
    with pytest.raises(UsageError, match="not both"):
        PairGrader(sv.Scorer(db=shop), timeout=1)
    with pytest.raises(UsageError, match="sqll"):
        PairGrader(keys={"sqll": "x"}, db=shop)


@pytest.mark.slow
def test_metadata_are_small_json(shop: Path) -> None:
    blob = "SELECT name, x'00ff', 9e999, replace(hex(zeroblob(900)), '0', 'a') FROM item"
    for prediction in (WRONG, blob, RIGHT, BROKEN):
        metadata = PairGrader(db=shop).grade(prediction, GOLD).metadata
        assert len(json.dumps(metadata, allow_nan=False)) < 4_000


def test_a_wrong_answer_has_codes_relation_and_rows(shop: Path) -> None:
    grade = PairGrader(db=shop).grade(WRONG, GOLD)
    assert grade.metadata["reasons"] == ["RESULT_EXTRA_ROWS"]
    assert grade.metadata["extra_rows"] == [["pen"]]
    assert grade.metadata["missing_rows"] == []
    assert "row_superset" in grade.reason


def test_a_lucky_match_has_its_witness_as_tables(shop: Path) -> None:
    lucky = "SELECT name FROM item WHERE name <> 'pen'"
    grade = PairGrader(db=shop, refute=200).grade(lucky, GOLD)
    witness: Any = grade.metadata["witness"]
    assert set(witness) == {"sentence", "tables", "gold", "prediction"}
    assert witness["gold"]["rows"] != witness["prediction"]["rows"]
    assert witness["tables"]["item"]["rows"]
    assert "witness" in grade.explain()


def test_grading_works_from_an_event_loop(shop: Path) -> None:
    assert asyncio.run(PairGrader(db=shop).agrade(RIGHT, GOLD)).score == 1


@pytest.mark.parametrize(
    ("name", "module"),
    [
        ("inspect_ai", "inspect_ai"),
        ("langsmith", "langsmith"),
        ("dspy", "dspy"),
        ("deepeval", "deepeval"),
        ("braintrust", "braintrust"),
        ("mlflow", "mlflow"),
        ("langfuse", "langfuse"),
        ("phoenix", "phoenix"),
        ("weave", "weave"),
        ("ragas", "ragas"),
    ],
)
def test_a_framework_that_is_absent_says_what_to_install(name: str, module: str) -> None:
    if find_spec(module) is not None:
        pytest.skip(f"{module} is installed")
    adapter = __import__(f"sqlverdict.integrations.{name}", fromlist=["sql_correct"])
    with pytest.raises(MissingExtra) as caught:
        adapter.sql_correct()
    extras = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8")
    assert f"\n{caught.value.extra} = [" in extras


def test_a_framework_that_is_broken_is_not_called_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_framework.py").write_text("import not_there_either\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="not_there_either"):
        load_framework("broken_framework", "broken")


@pytest.mark.slow
def test_no_adapter_imports_a_framework_by_itself() -> None:
    folder = Path(common.__file__).parent
    names = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
    names.remove("pytest_plugin")
    frameworks = {*names, "pytest", "phoenix"} - {"common"}
    code = (
        f"import sys\nfor name in {names}: __import__('sqlverdict.integrations.' + name)\n"
        f"assert not {frameworks} & set(sys.modules), {frameworks} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
