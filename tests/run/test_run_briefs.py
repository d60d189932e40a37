"""What the run tells a judge about a case, and what becomes of files beside a database."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqlverdict import Options, evaluate
from sqlverdict.evidence import Evidence, Signs, Undecided
from sqlverdict.evidence_parts import LoggedSign
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.judge.briefs.brief import Brief
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.request import Reply, Request
from sqlverdict.records import Answer, Case, Prediction, Recording
from sqlverdict.report.one_run.case import evidence_lines
from sqlverdict.run.inputs import StageInputs
from sqlverdict.run.judging.asking import Asking, JudgeOptions
from sqlverdict.run.judging.brief_parts import facts
from sqlverdict.run.judging.briefs import questions
from sqlverdict.run.plan import RunPlan
from sqlverdict.run.refuter import Refuter
from sqlverdict.run.stages import gather_evidence
from sqlverdict.score.metric import parse_metrics
from sqlverdict.situations import Situation

PLAN = RunPlan(parse_metrics("ex"))
HEADER = "original_column_name,column_name,column_description,data_format,value_description\n"
Tell = Callable[..., Brief]


def inputs_of(case: Case, prediction: str) -> StageInputs:
    runner = QueryRunner("sqlite", Limits())
    return StageInputs(case, Prediction("1", prediction), runner, PLAN)


@pytest.fixture
def database(people: Path, tmp_path: Path) -> Path:
    """A database of people and cities with a folder of its own."""
    folder = tmp_path / "people"
    (folder / "database_description").mkdir(parents=True)
    return Path(shutil.copyfile(people, folder / "people.sqlite"))


@pytest.fixture
def tell(database: Path) -> Tell:
    """The brief for the verdict about a pair of queries on that database."""

    def make(gold: str, prediction: str, *more: Evidence, **asking: Any) -> Brief:
        case = Case("1", "people", "?", (gold,), str(database))
        inputs = inputs_of(case, prediction)
        evidence = (*gather_evidence(inputs, Refuter(PLAN)), *more)
        (question,) = questions(
            inputs, evidence, Asking(open_judge="evidence", open_metrics=("verdict",), **asking)
        )
        return question.brief

    return make


GOLD = "SELECT name FROM city WHERE id < 5"
OTHER = "SELECT name FROM city WHERE mayor > 35"


def test_the_tables_that_are_read_have_their_row_counts(tell: Tell) -> None:
    assert tell(GOLD, OTHER).sizes == ("city: 40 rows",)
    both = tell(GOLD, "SELECT p.name FROM person p JOIN city c ON c.mayor = p.id WHERE c.id < 3")
    assert set(both.sizes) == {"city: 40 rows", "person: 400 rows"}


def test_columns_that_one_query_alone_reads_come_first(tell: Tell, database: Path) -> None:
    rows = "name,,what it is called,,\nid,,its number,,\nmayor,,the person who governs it,,\n"
    (database.parent / "database_description" / "City.csv").write_text(HEADER + rows, "utf-8")
    assert tell(GOLD, OTHER).columns == (
        "city.id: its number",
        "city.mayor: the person who governs it",
        "city.name: what it is called",
    )
    assert tell(GOLD, "SELECT name FROM city WHERE id < 4").columns == (
        "city.name: what it is called",
        "city.id: its number",
    )
    assert len(tell(GOLD, "SELECT * FROM city").columns) == 3


def test_the_short_schema_has_the_tables_that_are_read(tell: Tell) -> None:
    brief = tell(GOLD, OTHER)
    assert "person" in brief.schema_text
    assert "CREATE TABLE city" in brief.schema_short
    assert "CREATE TABLE person" not in brief.schema_short


@pytest.mark.parametrize(
    ("gold", "prediction", "words"),
    [
        ("SELECT 1", "SELECT 2", "each returns one value: the gold 1, the prediction 2"),
        (GOLD, "SELECT name FROM city WHERE id > 99", "the prediction no row at all"),
        (
            "SELECT id FROM city WHERE id < 5",
            "SELECT id FROM city WHERE id BETWEEN 3 AND 7",
            "2 in both, 2 only in the gold, 3 only in the prediction",
        ),
    ],
)
def test_results_are_related_in_words(tell: Tell, gold: str, prediction: str, words: str) -> None:
    assert words in tell(gold, prediction).relations[0]


def test_a_relation_is_told_without_its_code(tell: Tell) -> None:
    brief = tell(GOLD, "SELECT name FROM city WHERE id < 3")
    assert brief.relations == (
        "the gold returns 4 rows of 1 column, the prediction 2 rows of 1 column",
        brief.relations[1],
    )
    assert brief.relations[1].startswith("2 of the gold's rows are missing")


def test_only_what_is_open_is_asked(tell: Tell) -> None:
    assert tell(GOLD, OTHER).open_question == Situation.DIFFERENCE.row.question


def test_that_a_relation_may_be_chance_is_not_told(tell: Tell) -> None:
    brief = tell("SELECT 1", "SELECT 100")
    assert "100" in brief.relations[1]
    assert "chance" not in " ".join(brief.relations)


def test_where_no_row_matches_it_is_told_what_the_column_holds(tell: Tell) -> None:
    line = "no row fulfils city.name = 'Atlantis'; the column holds 'city 1', 'city 2' and others"
    other = LoggedSign("empty_answer", message="the query returns no row")
    both = (LoggedSign("dead_literal", message=line), other)
    brief = tell(GOLD, OTHER, Signs("signs", prediction=both))
    assert brief.unmatched == (line,)
    assert brief.prediction_facts == (line, other.message)
    assert tell(GOLD, OTHER, Signs("signs", gold=both)).unmatched == ()


SIGNS = Signs(
    "signs",
    gold=(LoggedSign("dead_literal", message="'x' does not occur"),),
    prediction=(LoggedSign("empty_answer", message="it returns no row"),),
)


def test_facts_about_both_queries_are_told(tell: Tell) -> None:
    brief = tell(GOLD, OTHER, SIGNS)
    assert brief.gold_facts == ("'x' does not occur",)
    assert brief.prediction_facts == ("it returns no row",)


def test_signs_that_say_nothing_are_passed_over() -> None:
    assert facts([Signs("signs"), Signs("signs", gold=(LoggedSign("mute"),))], "gold") == ()


def test_facts_are_few_and_each_is_told_once() -> None:
    many = tuple(LoggedSign("x", message=f"fact {n % 20} " + "x" * 1_000) for n in range(40))
    result = facts([Signs("signs", gold=many), Undecided("other")], "gold")
    assert len(result) == len(set(result)) == 8
    assert max(map(len, result)) == 400


def test_a_recorded_case_is_told_from_its_record(database: Path) -> None:
    """No database is opened for it, and that is no reason to do it again."""
    here = Case("1", "people", "?", (GOLD,), str(database))
    inputs = inputs_of(here, OTHER)
    recording = Recording(tuple(inputs.golds()), inputs.answer(), equal=False, whole=False)
    case = Case("1", "people", "?", (GOLD,), None, recorded=recording)
    recorded = inputs_of(case, OTHER)
    asking = Asking(open_judge="evidence", open_metrics=("verdict",))
    (question,) = questions(recorded, gather_evidence(recorded, Refuter(PLAN)), asking)
    assert (question.brief.sizes, question.brief.columns, question.notes) == ((), (), ())
    assert recorded.source.repeatable


class Answers:
    def __init__(self) -> None:
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Reply:
        self.requests.append(request)
        return Reply('It does.\n{"correct": true}', "stop", 10, 1, 0.0, cost=0.0)


def run(database: Path, out: Path | None = None) -> tuple[Any, Answers]:
    answers = Answers()
    judging = JudgeOptions("evidence", Settings(model="m"), answers)
    case = Case("1", "people", "?", (GOLD,), str(database))
    options = Options("ex,verdict", workers=0, cache=None, judge=judging)
    return evaluate([case], {"1": OTHER}, out=out, options=options), answers


def test_a_broken_file_is_noted_with_the_opinion(database: Path) -> None:
    (database.parent / "database_description" / "city.csv").write_bytes(b"\0")
    outcome, answers = run(database)
    (result,) = outcome.results()
    (line,) = [line for line in evidence_lines(result) if line.startswith("not told")]
    assert line == "not told to the judge: city.csv: it holds a NUL byte: it is not text"
    assert "NUL byte" not in answers.requests[0].messages[-1].content


def test_a_changed_description_is_told_again(database: Path, tmp_path: Path) -> None:
    file = database.parent / "database_description" / "city.csv"
    file.write_text(HEADER + "mayor,,who governs,,\n", "utf-8")
    _, first = run(database, tmp_path / "run")
    assert "who governs" in first.requests[0].messages[-1].content
    _, again = run(database, tmp_path / "run")
    assert again.requests == [], "the same files, the same answer"
    file.write_text(HEADER + "mayor,,who was elected,,\n", "utf-8")
    _, changed = run(database, tmp_path / "run")
    assert "who was elected" in changed.requests[0].messages[-1].content


def test_a_judge_of_every_pair_sees_the_whole_database(database: Path) -> None:
    folder = database.parent / "database_description"
    (folder / "city.csv").write_text(HEADER + "mayor,,who leads the city,text,\n")
    case = Case("1", "people", "?", ("SELECT name FROM person",), str(database))
    inputs = inputs_of(case, "SELECT name FROM city")
    asking = Asking({"flex": "flex"}, open_judge="evidence", open_metrics=("verdict",))
    pair, open_ = questions(inputs, gather_evidence(inputs, Refuter(PLAN)), asking)
    rows = QueryRunner("sqlite", Limits()).run(str(database), "SELECT count(*) FROM person")
    assert isinstance(rows, Answer)
    assert f"-- {rows.rows[0][0]} rows" in pair.brief.schema_text
    assert pair.brief.schema_text.endswith("- city.mayor: who leads the city")
    assert (pair.judge, pair.metrics) == ("flex", ("flex",))
    assert "who leads" not in open_.brief.schema_text
