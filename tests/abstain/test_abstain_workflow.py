from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from abstain_parts import QUESTIONS, STRANGE, Script, ask, known, make_database, strange

from sqlverdict import evaluate
from sqlverdict.abstain.apply import detector_machine, drafts_for
from sqlverdict.abstain.calibrate import calibrate
from sqlverdict.abstain.compose import Part, make
from sqlverdict.abstain.correctness import mark
from sqlverdict.abstain.generators.recorded import Recorded
from sqlverdict.abstain.homes import Homes
from sqlverdict.abstain.method import (
    ABSTAINERS,
    Ask,
    Draft,
    Example,
    Finding,
    Lessons,
    Tools,
    Wishes,
)
from sqlverdict.abstain.predictions import read_drafts
from sqlverdict.abstain.session import answer_cases, manifest_path
from sqlverdict.abstain.workflow import Machine
from sqlverdict.errors import DataError, PredictionError, RegistryError, RunLogError, UsageError
from sqlverdict.execute.desk import Desk
from sqlverdict.execute.engine import Limits
from sqlverdict.judge.request import NoReply, Request
from sqlverdict.load.predictions import load_predictions
from sqlverdict.pipeline import Options
from sqlverdict.records import Case, Verdict


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "shop.sqlite")


@pytest.fixture
def world() -> Iterator[Tools]:
    desk = Desk("sqlite", Limits())
    yield Tools(desk=desk)
    desk.close()


def cases(database: Path) -> list[Case]:
    answerable = [
        Case(f"q{n}", "shop", question, (sql,), str(database))
        for n, (question, sql) in enumerate(QUESTIONS)
    ]
    return answerable + [
        Case(f"s{n}", "shop", question, (), str(database), answerable=False)
        for n, question in enumerate(STRANGE)
    ]


def drafts(*sqls: str | None, **more: object) -> dict[str, Draft]:
    return {f"q{n}": Draft(sql, **more) for n, sql in enumerate(sqls)}  # type: ignore[arg-type]


class Spy:
    """A detector of the test's own: its findings are given, and it counts what it is asked."""

    needs: frozenset[str] = frozenset()
    version = 1

    def __init__(self, name: str, place: str, sure: Sequence[float | None]) -> None:
        self.name, self.place, self.sure = name, place, list(sure)
        self.threshold: float | None = 0.5
        self.seen: list[tuple[str, str | None]] = []

    def wishes(self) -> Wishes:
        return Wishes()

    def score(self, asked: Sequence[tuple[Ask, Draft | None]], tools: Tools) -> list[Finding]:
        self.seen += [(a.id, None if d is None else d.sql) for a, d in asked]
        by_id = {f"q{n}": c for n, c in enumerate(self.sure)}
        return [Finding(by_id[a.id]) for a, _ in asked]

    def decide(self, finding: Finding) -> bool:
        return finding.confidence is not None and finding.confidence >= 0.5


def machine_with(before: Spy, within: Spy, after: Spy, answers: dict[str, Draft]) -> Machine:
    machine = Machine("recorded")
    generator = Recorded()
    generator.drafts = answers
    machine.generator = generator
    machine.before, machine.within, machine.after = [before], [within], [after]  # type: ignore[list-item]
    return machine


def test_all_must_agree_and_who_is_not_needed_is_not_asked() -> None:
    before = Spy("one", "before", [1, 0, 1, 1, 1])
    within = Spy("two", "with", [1, 1, 0, 1, 1])
    after = Spy("three", "after", [0.9, 1, 1, 0.1, 1])
    answers = drafts("SELECT 0", "SELECT 1", "SELECT 2", "SELECT 3", None)
    machine = machine_with(before, within, after, answers)
    found = machine.answer([ask("x", n) for n in range(5)], Tools())
    assert [one.by for one in found] == ["", "one", "two", "three", ""]
    assert [one.abstained for one in found] == [False, True, True, True, False]
    assert [one.sql for one in found] == ["SELECT 0", None, "SELECT 2", "SELECT 3", None]
    assert [one.confidence for one in found] == [0.9, None, 0, 0.1, 1]
    assert [case for case, _ in within.seen] == ["q0", "q2", "q3", "q4"]
    # Text without SQL is nobody's to hold back after f, and no abstention.
    assert [case for case, _ in after.seen] == ["q0", "q3"]
    assert not found[4].prediction().abstained
    assert found[2].prediction().sql is None
    assert found[2].about()["draft"] == "SELECT 2"


def test_the_generators_own_abstention_stands() -> None:
    spy = Spy("g", "after", [1])
    machine = machine_with(Spy("b", "before", [1]), Spy("w", "with", [1]), spy, {
        "q0": Draft(abstained=True)
    })  # fmt: skip
    (found,) = machine.answer([ask("x")], Tools())
    assert (found.abstained, found.by, spy.seen) == (True, "recorded", [])


def test_abstain_all_says_nothing() -> None:
    found = Machine("abstain_all").answer([ask("x", n) for n in range(3)], Tools())
    assert all(one.prediction().abstained for one in found)


# From cases to questions.


def test_a_question_is_asked_though_its_gold_cannot_be_scored(database: Path, world: Tools) -> None:
    lost = replace(cases(database)[0], database=f"{database} without rows of item")
    homes = Homes.of([lost, *cases(database)[1:]])
    example = homes.example(lost)
    assert example.ask.database == str(database)
    assert example.ask.schema is not None
    assert world.desk is not None
    # Nobody learns from an answer that cannot be marked, not even from the gold itself.
    (marked,) = mark([replace(example, draft=Draft(example.sql))], world.desk)
    assert marked.correct is None
    assert Homes().ask(lost).schema is None


def test_a_question_never_carries_its_gold_or_label(database: Path) -> None:
    for case in cases(database):
        shown = repr(Homes().ask(case))
        assert not any(gold in shown for gold in case.golds)
        assert "answerable" not in shown


def test_two_methods_of_one_name_are_an_error() -> None:
    ABSTAINERS.get("rf")
    with pytest.raises(RegistryError, match="called 'rf'"):
        ABSTAINERS.register(object(), "rf", "somewhere.else")


# Marks and thresholds.


def test_drafts_are_marked_by_running_them(database: Path, world: Tools) -> None:
    queries = {
        "SELECT count(*) FROM item": True,
        "select COUNT(*) from item;": True,
        "SELECT 3": True,
        "SELECT 4": False,
        "SELECT nope FROM item": False,
        None: False,
    }
    example = known(database)[0]
    examples = [replace(example, draft=Draft(sql)) for sql in queries]
    assert world.desk is not None
    assert [e.correct for e in mark(examples, world.desk)] == list(queries.values())
    open_ones = [
        example,
        replace(example, draft=Draft(abstained=True)),
        replace(example, sql="SELECT nope", draft=Draft("SELECT 1")),
    ]
    assert [e.correct for e in mark(open_ones, world.desk)] == [None] * 3
    lost = Example(ask("x", 1, database), answerable=False, draft=Draft("SELECT 1"))
    assert mark([lost], world.desk)[0].correct is False


def test_the_threshold_is_the_last_value_of_the_best_prefix() -> None:
    # Right, right, wrong, right: sums 1, 2, 1, 2; the shorter of two equal prefixes is taken.
    example = known()[0]
    right = [True, True, False, True, None]
    examples = [replace(example, correct=correct) for correct in right]
    findings = [Finding(c) for c in (0.9, 0.8, 0.7, 0.6, 0.99)]
    detector = make(Part("maxprob"))
    found = calibrate(detector, examples, findings)
    assert detector.threshold == found.threshold == 0.8
    assert [detector.decide(f) for f in findings] == [True, True, False, False, True]
    assert (found.items, found.answered, found.wrong) == (4, 2, 0)
    assert found.curve == ((0, 0.0), (1, 1.0), (2, 2.0), (3, 1.0), (4, 2.0))


def test_a_system_that_is_mostly_wrong_never_answers() -> None:
    examples = [replace(known()[0], correct=False)] * 3
    detector = make(Part("maxent"))
    found = calibrate(detector, examples, [Finding(c) for c in (0.1, 0.2, 0.3)])
    assert detector.threshold == math.inf
    assert not detector.decide(Finding(1e9))
    assert found.answered == 0
    with pytest.raises(DataError, match="marked right or wrong"):
        calibrate(detector, [known()[0]], [Finding(0.5)])


def test_a_larger_penalty_asks_for_more(database: Path, world: Tools) -> None:
    sure = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
    wrong = {2}
    answers = {
        f"q{n}": Draft("SELECT 0" if n in wrong else sql, confidence=sure[n])
        for n, (_, sql) in enumerate(QUESTIONS)
    }

    def threshold(penalty: int) -> float:
        machine = Machine(f"recorded[confidence(penalty={penalty})]")
        machine.generator.drafts = answers  # type: ignore[attr-defined]
        machine.fit(Lessons(validation=known(database)), world)
        return machine.within[0].threshold or 0.0

    assert threshold(1) == 0.4
    assert threshold(4) == 0.8


def test_fitting_says_what_is_missing() -> None:
    with pytest.raises(DataError, match=r"training questions with SQL .* and unanswerable"):
        Machine("rf > recorded").fit(Lessons(), Tools())
    with pytest.raises(DataError, match="background questions"):
        Machine("t5[featrmd]").fit(Lessons(known(), known()), Tools())
    with pytest.raises(DataError, match="validation questions"):
        Machine("t5[maxent]").fit(Lessons(known()), Tools())
    machine = Machine("recorded[confidence]")
    machine.generator.drafts = {}  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="--databases"):
        machine.fit(Lessons(validation=known()), Tools())
    # A threshold that is given needs no validation.
    assert "threshold" not in Machine("t5[maxent(threshold=-1)]").needs


def test_a_fitted_composition_is_kept_and_decides_alike(
    tmp_path: Path, database: Path, world: Tools
) -> None:
    line = "rf(trees=10) > recorded[confidence] > rf_star(trees=10)"
    answers = {
        f"q{n}": Draft(sql if n % 2 else "SELECT 0", confidence=n / 10)
        for n, (_, sql) in enumerate(QUESTIONS)
    }
    machine = Machine(line)
    machine.generator.drafts = answers  # type: ignore[attr-defined]
    machine.fit(Lessons(known(database), known(database), strange()), world)
    machine.save(tmp_path / "kept")
    again = Machine.load(tmp_path / "kept")
    again.generator.drafts = answers  # type: ignore[attr-defined]
    asks = [example.ask for example in known(database)]
    assert again.answer(asks, world) == machine.answer(asks, world)
    assert str(again.composition) == line
    assert again.calibrations == machine.calibrations
    about = tmp_path / "kept" / "composition.json"
    about.write_text(about.read_text().replace('"version": 1', '"version": 0', 1))
    with pytest.raises(DataError, match="Fit it anew"):
        Machine.load(tmp_path / "kept")
    with pytest.raises(DataError, match="cannot be read"):
        Machine.load(tmp_path / "nowhere")


def test_never_answering_survives_being_kept(tmp_path: Path, database: Path, world: Tools) -> None:
    machine = Machine("recorded[confidence]")
    machine.generator.drafts = {  # type: ignore[attr-defined]
        f"q{n}": Draft("SELECT 0", confidence=0.5) for n in range(6)
    }
    machine.fit(Lessons(validation=known(database)), world)
    machine.save(tmp_path)
    json.loads((tmp_path / "composition.json").read_text(), parse_constant=_refuse)
    assert Machine.load(tmp_path).within[0].threshold == math.inf


def _refuse(word: str) -> float:
    raise AssertionError(f"{word} is no JSON")


# The predictions file.


def scripted(reply: object) -> Tools:
    return Tools(answerer=Script(reply), model="m", desk=Desk("sqlite", Limits()))  # type: ignore[arg-type]


def by_question(request: Request) -> str:
    text = request.messages[-1].content
    for question, sql in QUESTIONS:
        if text.rstrip().endswith(f"Question: {question}\nSQL:"):
            return sql
    return "not_answerable"


def test_a_run_writes_what_evaluate_reads(tmp_path: Path, database: Path) -> None:
    machine = Machine("sqlprompt(shots=1)[demo] > error_gate")
    world = scripted(by_question)
    machine.fit(Lessons(known(database), background=strange()), world)
    out = tmp_path / "p.jsonl"
    tally = answer_cases(machine, cases(database), out, world, inputs={"cases": "x"})
    assert (tally.cases, tally.answered, tally.open) == (10, 6, 0)
    assert tally.abstained == {"demo": 4}
    ids = [case.id for case in cases(database)]
    found = load_predictions(out, ids, db_ids=["shop"] * 10)
    run = evaluate(cases(database), found, options=Options(workers=0, cache=None))
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
    asked: list[str] = []

    def reply(request: Request) -> str | NoReply:
        text = request.messages[-1].content
        number = next(
            n for n, (q, _) in enumerate(QUESTIONS) if text.rstrip().endswith(f"{q}\nSQL:")
        )
        asked.append(f"q{number}")
        return broken if f"q{number}" in down else "SELECT 1"

    machine, out = Machine("sqlprompt"), tmp_path / "p.jsonl"
    some = cases(database)[:6]
    world = scripted(reply)
    tally = answer_cases(machine, some, out, world, inputs={})
    assert (tally.answered, tally.open, tally.problem) == (4, 2, "the server is down")
    assert set(read_drafts(out)) == {"q0", "q2", "q4", "q5"}
    # A line that was cut off while it was written is written again.
    with out.open("a") as stream:
        stream.write('{"id": "q1", "sq')
    down.clear()
    asked.clear()
    tally = answer_cases(machine, some, out, world, inputs={})
    assert sorted(asked) == ["q1", "q3"]
    assert (tally.resumed, tally.answered, tally.open) == (4, 2, 0)
    assert set(read_drafts(out)) == {case.id for case in some}
    with pytest.raises(RunLogError, match="composition"):
        answer_cases(Machine("sqlprompt(shots=1)"), some, out, world, inputs={})
    answer_cases(Machine("abstain_all"), some, out, world, inputs={}, overwrite=True)
    assert all(draft.abstained for draft in read_drafts(out).values())


def test_the_cost_limit_ends_a_run_cleanly(tmp_path: Path, database: Path) -> None:
    world = scripted(lambda _: NoReply("the limit is reached", 0, budget=True))
    tally = answer_cases(Machine("sqlprompt"), cases(database), tmp_path / "p", world, inputs={})
    assert tally.budget
    assert (tally.open, (tmp_path / "p").read_text()) == (10, "")


def test_a_question_whose_text_is_lost_is_not_answered(tmp_path: Path, database: Path) -> None:
    lost = [replace(cases(database)[0], question=" ")]
    tally = answer_cases(
        Machine("sqlprompt"), lost, tmp_path / "p", scripted(by_question), inputs={}
    )
    assert (tally.open, tally.answered) == (1, 0)
    assert "is not known" in tally.problem
    held = answer_cases(Machine("abstain_all"), lost, tmp_path / "a", Tools(), inputs={})
    assert held.abstained == {"abstain_all": 1}


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
    machine = Machine("recorded[voting(threshold=0.9)]")
    machine.generator.drafts = {"q0": full}  # type: ignore[attr-defined]
    out = tmp_path / "p.jsonl"
    answer_cases(machine, cases(database)[:1], out, Tools(), inputs={})
    (read,) = read_drafts(out).values()
    # The vote held it back; another detector may still look at it.
    assert (read.sql, read.abstained) == ("SELECT 1", False)
    assert replace(read, confidence=0.75) == full
    assert json.loads(out.read_text())["sql"] is None


def test_a_missing_prediction_is_an_error() -> None:
    generator = Recorded()
    generator.drafts = drafts("SELECT 1")
    with pytest.raises(PredictionError, match="no prediction for 1 question "):
        generator.generate([ask("x", 0), ask("x", 7)], Wishes(), Tools())
    with pytest.raises(UsageError, match="needs a file"):
        Recorded().generate([ask("x")], Wishes(), Tools())


def test_predictions_of_any_format_can_be_looked_at(tmp_path: Path, database: Path) -> None:
    lines = tmp_path / "p.sql"
    lines.write_text("".join(f"{sql}\n" for _, sql in QUESTIONS))
    found = drafts_for(cases(database)[:6], lines)
    assert [draft.sql for draft in found.values()] == [sql for _, sql in QUESTIONS]
    with pytest.raises(UsageError, match="has no ids"):
        read_drafts(lines)
    twice = tmp_path / "p.jsonl"
    twice.write_text('{"id": "a", "sql": null}\n{"id": "a", "sql": null}\n')
    with pytest.raises(PredictionError, match="stands twice"):
        read_drafts(twice)
    twice.write_text('{"id": "a", "sql": null, "state": ["x"]}\n')
    with pytest.raises(PredictionError, match="lists of numbers"):
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
    assert str(detector_machine(text).composition) == line


def test_a_generator_alone_is_no_detector() -> None:
    with pytest.raises(UsageError, match="is no detector"):
        detector_machine("t5")


def test_recorded_replies_are_read_as_their_prompt_wants(tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    lines = [
        {"id": "q0", "raw": "SELECT 1 # incorrect"},
        {"id": "q1", "raw": "SELECT 2 # correct"},
        {"id": "q2", "sql": "SELECT 3"},
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    machine = Machine(f"recorded(path={file})[verbal]")
    assert machine.needs == frozenset()
    found = machine.answer([ask("x", n) for n in range(3)], Tools())
    assert [(one.sql, one.abstained) for one in found] == [
        ("SELECT 1", True),
        ("SELECT 2", False),
        ("SELECT 3", False),
    ]
