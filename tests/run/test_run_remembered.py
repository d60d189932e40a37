"""What is remembered of pairs is never that of another content, other options or another text."""

from __future__ import annotations

import pickle
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

import sqlverdict as sv
from sqlverdict.execute.engine import ENGINES, MISSING, Limits
from sqlverdict.parse.schema import Schema
from sqlverdict.pipeline import evaluate_pairs
from sqlverdict.prove import on_data
from sqlverdict.records import Answer, Case, Contract, Prediction, Recording, Script
from sqlverdict.run.memory import Key, ResultMemory
from sqlverdict.run.options import Options, ProofOptions
from sqlverdict.run.plan import RunPlan, plan_run
from sqlverdict.run.task import UNKNOWN_CONTENT, UNREADABLE_CONTENT

GOLD, PREDICTION = "SELECT name FROM t WHERE n > 1", "SELECT name FROM t WHERE 1 < n"
SQLITE = ENGINES.get("sqlite")
CASE = Case("1", "shop", "who?", (GOLD,), database="shop.sqlite")
ANSWERED = Prediction("1", PREDICTION)
RESULT = Answer(("name",), [("a",)])
OTHER_CASES: dict[str, Any] = {
    "id": "2",
    "db_id": "other",
    "question": "which?",
    "golds": ("SELECT 1",),
    "gold_answers": (RESULT,),
    "database": "other.sqlite",
    "answerable": False,
    "difficulty": "hard",
    "knowledge": "all of them",
    "contract": Contract(columns="same_order"),
    "tags": {"category": "query"},
    "recorded": Recording((RESULT,), RESULT, equal=True),
    "script": Script(("DELETE FROM t",)),
    "gold_database": "gold.sqlite",
    "session": "s",
    "turn": 1,
    "earlier": ("what?",),
}
NAMES_ALONE = {"id", "difficulty", "knowledge", "session", "turn"}
"""What of a case decides no value of a metric of ours. A log line has them from the case itself."""
NOT_OF_THE_QUERIES = {
    *NAMES_ALONE,
    *("question", "earlier", "answerable", "tags"),
    "db_id",  # the schema is in the key, and is all that is found by it
}
"""What of a case no proof and no search looks at."""


def plan(metrics: str = "ex", **options: Any) -> RunPlan:
    return plan_run(Options(metrics, workers=0, cache=None, **options))


def changed(field: str) -> Case:
    fields_of: dict[str, Any] = {field: OTHER_CASES[field]}
    if field in ("session", "turn", "earlier"):
        fields_of = {"session": "s", "turn": 2} | fields_of
    return replace(CASE, **fields_of)


def finding_key(case: Case = CASE, made_by: RunPlan | None = None, digest: str = "d") -> Key | None:
    memory = ResultMemory(made_by or plan(), 10)
    return memory.keys.of_finding(case, ANSWERED, digest, SQLITE)


def work_key(
    what: Key = ("prove", "sound"),
    case: Case = CASE,
    prediction: Prediction = ANSWERED,
    digest: str = "d",
    engine: str = "sqlite",
    schema: Schema | None = None,
    limits: Limits = Limits(),  # noqa: B008 - it does not change
) -> Key | None:
    keys = ResultMemory(plan(), 10).keys
    return keys.of_work(what, case, prediction, digest, ENGINES.get(engine), schema, limits)


def test_every_field_of_a_case_is_in_a_key_or_decides_nothing() -> None:
    assert set(OTHER_CASES) == {field.name for field in fields(Case)}
    same = {name for name in OTHER_CASES if finding_key(changed(name)) == finding_key()}
    assert same == NAMES_ALONE
    same = {name for name in OTHER_CASES if work_key(case=changed(name)) == work_key()}
    assert same == NOT_OF_THE_QUERIES


def test_what_a_policy_or_a_record_shows_is_in_the_key_too() -> None:
    explains = plan("verdict")
    same = {
        name
        for name in OTHER_CASES
        if finding_key(changed(name), explains) == finding_key(made_by=explains)
    }
    assert same == {"difficulty", "session", "turn"}


def test_another_content_is_another_key() -> None:
    assert finding_key(digest="e") != finding_key()
    assert work_key(digest="e") != work_key()


@pytest.mark.parametrize("digest", ["", MISSING, UNKNOWN_CONTENT, UNREADABLE_CONTENT])
def test_nothing_is_remembered_of_work_on_a_content_without_a_digest(digest: str) -> None:
    assert work_key(digest=digest) is None


def test_all_that_work_rests_on_is_in_its_key() -> None:
    schema = Schema("shop", (), "ddl")
    others = [
        work_key(("prove", "spider")),
        work_key(("refute",)),
        work_key(prediction=Prediction("1", GOLD)),
        work_key(schema=schema),
        work_key(schema=replace(schema, null_keys=True)),
        work_key(limits=Limits(cell=10)),
    ]
    assert None not in others
    assert len({work_key(), *others}) == len(others) + 1


@pytest.mark.parametrize("name", ["script", "gold_database", "recorded", "gold_answers"])
def test_work_on_what_is_no_pair_of_queries_is_not_remembered(name: str) -> None:
    assert work_key(case=changed(name)) is None


def test_results_that_were_given_are_those_of_their_own_case(shop: Path, tmp_path: Path) -> None:
    """Also where a stream repeats an id."""
    of_shop = Answer(("name",), [("b",), ("c",)])

    def pairs() -> Iterator[tuple[Case, Prediction]]:
        case = replace(CASE, database=str(shop))
        for result in (of_shop, RESULT):
            yield replace(case, gold_answers=(result,)), ANSWERED
        for result in (of_shop, RESULT):
            recorded = Recording((of_shop,), result, equal=result is of_shop)
            yield replace(case, database=None, recorded=recorded), ANSWERED

    options = Options("ex", workers=0, cache=None)
    run = evaluate_pairs(pairs(), out=tmp_path / "run", options=options)
    assert [each.scores["ex"] for each in run.results()] == [1.0, 0.0, 1.0, 0.0]


def test_a_result_and_another_engine_have_no_key() -> None:
    answer = Prediction("1", answer=RESULT)
    assert work_key(prediction=answer) is None
    assert work_key(engine="duckdb") is None
    assert finding_key(changed("recorded")) is finding_key(changed("gold_answers")) is None
    keys = ResultMemory(plan("ex,ves"), 10).keys
    assert keys.of_finding(CASE, ANSWERED, "d", SQLITE) is None, "timed metrics are measured anew"


def test_work_pushes_out_no_result_and_a_copy_is_empty() -> None:
    memory = ResultMemory(plan(), 2)
    call: Key = ("result", "a call")
    memory.put(call, "its result", 1)
    for number in range(5_100):
        memory.put(("work", "d", number), number, 1)
    assert memory.get(call) == "its result"
    assert [memory.get(("work", "d", number)) for number in (0, 99, 100, 5_099)] == [
        *(None, None),
        *(100, 5_099),
    ]
    assert pickle.loads(pickle.dumps(memory)).get(call) is None


def test_work_on_one_content_is_forgotten_alone() -> None:
    memory = ResultMemory(plan(), 2)
    memory.put(("work", "d", 1), 1, 1)
    memory.put(("work", "e", 1), 2, 1)
    memory.put(("result", "d"), 3, 1)
    memory.forget("d")
    keys: list[Key] = [("work", "d", 1), ("work", "e", 1), ("result", "d")]
    assert [memory.get(key) for key in keys] == [None, 2, 3]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write(tmp_path / "shop.sqlite", 3)


def write(file: Path, last: int) -> Path:
    file.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE t (name TEXT, n INTEGER)")
        connection.execute(f"INSERT INTO t VALUES ('a', 1), ('b', 2), ('c', {last})")
    return file


@pytest.fixture
def proofs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The text of each prediction that a proof was sought for."""
    sought: list[str] = []
    prove = on_data.prove_on_data

    def note(gold: Any, prediction: Any, *rest: Any, **more: Any) -> Any:
        sought.append(prediction.sql)
        return prove(gold, prediction, *rest, **more)

    monkeypatch.setattr("sqlverdict.prove.on_data.prove_on_data", note)
    return sought


def test_a_run_proves_a_pair_once_for_all_of_its_questions(
    shop: Path, proofs: list[str], tmp_path: Path
) -> None:
    cases = [replace(CASE, id=str(n), question=f"{n}?", database=str(shop)) for n in range(4)]
    cases[3] = replace(cases[3], contract=Contract(columns="same_order"))
    run = sv.evaluate(
        cases,
        dict.fromkeys("0123", PREDICTION),
        out=tmp_path / "run",
        options=Options("ex", workers=0, cache=None, proof=ProofOptions()),
    )
    assert [len(each.evidence) for each in run.results()] == [2] * 4
    assert len(proofs) == 2, "a contract is part of the question that a proof answers"


def test_a_scorer_proves_a_pair_once_for_a_content(shop: Path, proofs: list[str]) -> None:
    with sv.Scorer("ex", db=shop, prove=True) as scorer:
        assert scorer.check(GOLD, PREDICTION).proof is not None
        assert scorer.check(GOLD, PREDICTION, question="which?").proof is not None
        assert len(proofs) == 1
        write(shop, 4)
        assert scorer.check(GOLD, PREDICTION).proof is not None
        assert len(proofs) == 2
        write(shop, 3)
        assert scorer.check(GOLD, PREDICTION, question="what?").proof is not None
        assert len(proofs) == 2, "it is the first content again"
    assert scorer.check(GOLD, PREDICTION).proof is not None
    assert len(proofs) == 3, "a scorer that was closed has forgotten all"


def test_a_proof_on_a_database_that_changed_meanwhile_is_not_kept(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its key has the content that the scorer saw before; the proof may be one of the other."""
    first, sought = shutil.copy(shop, tmp_path / "first"), []
    prove = on_data.prove_on_data

    def change(*arguments: Any, **more: Any) -> Any:
        sought.append(arguments[1].sql)
        if len(sought) == 1:
            write(shop, 4)
        return prove(*arguments, **more)

    monkeypatch.setattr("sqlverdict.prove.on_data.prove_on_data", change)
    with sv.Scorer("ex", db=shop, prove=True) as scorer:
        scorer.check(GOLD, PREDICTION)
        shutil.copy(first, shop)
        scorer.check(GOLD, PREDICTION)
        assert len(sought) == 2
        scorer.check(GOLD, PREDICTION, question="which?")
        assert len(sought) == 2
