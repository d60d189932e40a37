"""Predictions that abstain: written, resumed, read again, and looked at by detectors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from abstain_parts import QUESTIONS, Script, ask, cases, drafts, known, strange

from error_parts import refuses_data, refuses_run
from sqlverdict import evaluate
from sqlverdict.abstain.apply import detector_composition, drafts_for
from sqlverdict.abstain.generators.recorded import RecordedGenerator
from sqlverdict.abstain.method import (
    Draft,
    GeneratorNeeds,
    Tools,
    TrainingData,
)
from sqlverdict.abstain.predictions import read_drafts
from sqlverdict.abstain.session import answer_cases, manifest_path
from sqlverdict.abstain.workflow import FittedComposition
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.llm.request import NoReply, Request
from sqlverdict.load.predictions import load_predictions
from sqlverdict.pipeline import Options
from sqlverdict.records import Verdict


def scripted(reply: object) -> Tools:
    return Tools(answerer=Script(reply), model="m", runner=QueryRunner("sqlite", Limits()))  # type: ignore[arg-type]


def by_question(request: Request) -> str:
    text = request.messages[-1].content
    for question, sql in QUESTIONS:
        if text.rstrip().endswith(f"Question: {question}\nSQL:"):
            return sql
    return "not_answerable"


def test_a_run_writes_what_evaluate_reads(tmp_path: Path, database: Path) -> None:
    composition = FittedComposition("sqlprompt(shots=1)[demo] > error_gate")
    tools = scripted(by_question)
    composition.fit(TrainingData(known(database), background=strange()), tools)
    out = tmp_path / "p.jsonl"
    tally = answer_cases(composition, cases(database), out, tools, inputs={"cases": "x"})
    assert (tally.cases, tally.answered, tally.open) == (10, 6, 0)
    assert tally.abstained == {"demo": 4}
    ids = [case.id for case in cases(database)]
    predictions = load_predictions(out, ids, db_ids=["shop"] * 10)
    run = evaluate(cases(database), predictions, options=Options(workers=0, cache=None))
    verdicts = [result.verdict for result in run.results()]
    assert verdicts == [Verdict.CORRECT] * 6 + [Verdict.ABSTAINED_RIGHT] * 4
    manifest = json.loads(manifest_path(out).read_text())
    assert manifest["composition"] == "sqlprompt(shots=1)[demo] > error_gate"
    assert manifest["model"] == "m"
    assert manifest["prompts"]["sqlprompt_demo"] == 1
    assert manifest["last_call"]["answered"] == 6


def test_a_run_goes_on_where_it_stopped_and_never_abstains_for_a_server(
    tmp_path: Path, database: Path
) -> None:
    broken = NoReply("the server is down", 2)
    down = {"q1", "q3"}
    requests: list[str] = []

    def reply(request: Request) -> str | NoReply:
        text = request.messages[-1].content
        number = next(
            n for n, (q, _) in enumerate(QUESTIONS) if text.rstrip().endswith(f"{q}\nSQL:")
        )
        requests.append(f"q{number}")
        return broken if f"q{number}" in down else "SELECT 1"

    composition, out = FittedComposition("sqlprompt"), tmp_path / "p.jsonl"
    some = cases(database)[:6]
    tools = scripted(reply)
    tally = answer_cases(composition, some, out, tools, inputs={})
    assert (tally.answered, tally.open, tally.problem) == (4, 2, "the server is down")
    assert set(read_drafts(out)) == {"q0", "q2", "q4", "q5"}
    # A line that was cut off while it was written is written again.
    with out.open("a") as stream:
        stream.write('{"id": "q1", "sq')
    down.clear()
    requests.clear()
    tally = answer_cases(composition, some, out, tools, inputs={})
    assert sorted(requests) == ["q1", "q3"]
    assert (tally.resumed, tally.answered, tally.open) == (4, 2, 0)
    assert set(read_drafts(out)) == {case.id for case in some}
    with refuses_run("another_run", "composition"):
        answer_cases(FittedComposition("sqlprompt(shots=1)"), some, out, tools, inputs={})
    answer_cases(FittedComposition("abstain_all"), some, out, tools, inputs={}, overwrite=True)
    assert all(draft.abstained for draft in read_drafts(out).values())


def test_the_cost_limit_ends_a_run_cleanly(tmp_path: Path, database: Path) -> None:
    tools = scripted(lambda _: NoReply("the limit is reached", 0, budget=True))
    tally = answer_cases(
        FittedComposition("sqlprompt"), cases(database), tmp_path / "p", tools, inputs={}
    )
    assert tally.budget
    assert (tally.open, (tmp_path / "p").read_text()) == (10, "")


def test_a_question_whose_text_is_lost_is_not_answered(tmp_path: Path, database: Path) -> None:
    lost = [replace(cases(database)[0], question=" ")]
    tally = answer_cases(
        FittedComposition("sqlprompt"), lost, tmp_path / "p", scripted(by_question), inputs={}
    )
    assert (tally.open, tally.answered) == (1, 0)
    assert "is not known" in tally.problem
    answers = answer_cases(
        FittedComposition("abstain_all"), lost, tmp_path / "a", Tools(), inputs={}
    )
    assert answers.abstained == {"abstain_all": 1}


# Any system's predictions.


def test_what_detectors_look_at_survives_a_file(tmp_path: Path, database: Path) -> None:
    full = Draft(
        "SELECT 1",
        "SELECT 1 -- raw",
        samples=("SELECT 1", "SELECT 2"),
        probabilities=(0.25, 0.5),
        entropies=(1.5, 0.125),
        state=(0.5, -1.25),
        confidence=0.75,
    )
    composition = FittedComposition("recorded[voting(n=2, threshold=0.9)]")
    composition.generator.drafts = {"q0": full}  # type: ignore[attr-defined]
    out = tmp_path / "p.jsonl"
    answer_cases(composition, cases(database)[:1], out, Tools(), inputs={})
    (read,) = read_drafts(out).values()
    # The vote held it back; another detector may still look at it.
    assert (read.sql, read.abstained) == ("SELECT 1", False)
    assert replace(read, confidence=0.75) == full
    assert json.loads(out.read_text())["sql"] is None


def test_a_missing_prediction_is_an_error() -> None:
    generator = RecordedGenerator()
    generator.drafts = drafts("SELECT 1")
    with refuses_data(PredictionError, "incomplete", "1 question ", "'q7'"):
        generator.generate([ask("x", 0), ask("x", 7)], GeneratorNeeds(), Tools())
    with pytest.raises(UsageError, match="path="):
        RecordedGenerator().generate([ask("x")], GeneratorNeeds(), Tools())


def test_predictions_of_any_format_can_be_looked_at(tmp_path: Path, database: Path) -> None:
    lines = tmp_path / "p.sql"
    lines.write_text("".join(f"{sql}\n" for _, sql in QUESTIONS))
    result = drafts_for(cases(database)[:6], lines)
    assert [draft.sql for draft in result.values()] == [sql for _, sql in QUESTIONS]
    with pytest.raises(UsageError, match=r"p\.sql .* ids"):
        read_drafts(lines)
    twice = tmp_path / "p.jsonl"
    twice.write_text('{"id": "a", "sql": null}\n{"id": "a", "sql": null}\n')
    with refuses_data(PredictionError, "repeated", "p.jsonl", "'a'"):
        read_drafts(twice)
    twice.write_text('{"id": "a", "sql": null, "state": ["x"]}\n')
    with refuses_data(PredictionError, "wrong_value", "'a'", "lists of numbers"):
        read_drafts(twice)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("voting(n=3)", "recorded[voting(n=3)]"),
        ("error_gate", "recorded > error_gate"),
        ("RF*", "recorded > rf_star"),
        ("clsprompt", "clsprompt > recorded"),
        ("rf > recorded[maxent]", "rf > recorded[maxent]"),
    ],
)
def test_a_detector_alone_is_put_where_it_belongs(text: str, line: str) -> None:
    assert str(detector_composition(text).composition) == line


def test_a_generator_alone_is_no_detector() -> None:
    with pytest.raises(UsageError, match="'t5'"):
        detector_composition("t5")


def test_recorded_replies_are_read_as_their_prompt_wants(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    lines = [
        {"id": "q0", "raw": "SELECT 1 # incorrect"},
        {"id": "q1", "raw": "SELECT 2 # correct"},
        {"id": "q2", "sql": "SELECT 3"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    composition = FittedComposition(f"recorded(path={file})[verbal]")
    assert composition.needs == frozenset()
    result = composition.answer([ask("x", n) for n in range(3)], Tools())
    assert [(one.sql, one.abstained) for one in result] == [
        ("SELECT 1", True),
        ("SELECT 2", False),
        ("SELECT 3", False),
    ]
