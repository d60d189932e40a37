"""Judges in a run: who is asked what, what becomes of replies, and of replies that do not come."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from error_parts import continues, options_of
from sqlverdict import Options, evaluate
from sqlverdict.errors import Interrupted, OptionName, UsageError
from sqlverdict.evidence import Judged
from sqlverdict.judge.opinion import Settings
from sqlverdict.llm.request import NoReply, Reply, Request
from sqlverdict.records import Case, Reason, Result, Verdict
from sqlverdict.report.one_run.markdown import write_markdown
from sqlverdict.report.one_run.sections import outcome
from sqlverdict.run.judging.asking import Asking, JudgeOptions
from sqlverdict.run.task import as_benchmark
from sqlverdict.runlog.run import Run

MakeCase = Callable[..., Case]
Lines = Callable[[Path], list[dict[str, Any]]]

SAME = "SELECT name FROM person WHERE age > 30"
PAIRS = {
    "same": (SAME, SAME.lower()),
    "lucky": ("SELECT count(*) FROM city", "SELECT count(name) FROM city"),
    "extra": ("SELECT id FROM city", "SELECT id, name FROM city"),
    "other": ("SELECT id FROM city", "SELECT id FROM city WHERE id > 2"),
    "unlike": ("SELECT mayor FROM city WHERE id = 7", "SELECT 4711"),
    "broken": ("SELECT id FROM city", "SELECT nothing FROM city"),
}
"""By what the evidence shows: the same text, a match by luck, a harmless difference, a difference
with a relation, one without, a failure."""


class Scripted:
    """Answers by a function of the request's text, and keeps what it was asked."""

    def __init__(self, answer: Callable[[Request], Reply | NoReply | str] | str) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Reply | NoReply:
        with self._lock:
            self.requests.append(request)
        text = self.answer if isinstance(self.answer, str) else self.answer(request)
        return text if not isinstance(text, str) else Reply(text, "stop", 100, 10, 0.0, cost=0.5)


RIGHT = 'It answers the question.\n```json\n{"correct": true}\n```'
WRONG = 'It does not.\n```json\n{"correct": false}\n```'


@pytest.fixture
def cases(make_case: MakeCase) -> list[Case]:
    return [make_case(name, gold, question=name) for name, (gold, _) in PAIRS.items()]


def answers() -> dict[str, str | None]:
    return {name: sql for name, (_, sql) in PAIRS.items()}


def judged(answerer: Any, judge: str = "evidence", **more: Any) -> JudgeOptions:
    return JudgeOptions(judge, Settings(model="m"), answerer, **more)


def run(
    cases: list[Case],
    answerer: Any,
    metrics: str = "ex,verdict",
    out: Path | None = None,
    judge: str = "evidence",
    workers: int = 0,
    policy: str = "strict",
    **more: Any,
) -> Run:
    judging = judged(answerer, judge, **more)
    options = Options(metrics, workers=workers, cache=None, judge=judging, policy=policy)
    return evaluate(cases, answers(), out=out, options=options)


def by_id(run: Run) -> dict[str, Result]:
    return {result.id: result for result in run.results()}


def test_the_judge_is_asked_what_evidence_leaves_open_and_nothing_else(cases: list[Case]) -> None:
    answerer = Scripted(WRONG)
    finding = by_id(run(cases, answerer))
    requests = {name for name, result in finding.items() if opinions(result)}
    assert requests == {"lucky", "other", "unlike"}
    assert len(answerer.requests) == 3
    assert {name: result.verdict.value for name, result in finding.items()} == {
        "same": "correct",
        "lucky": "incorrect",
        "extra": "correct",
        "other": "incorrect",
        "unlike": "incorrect",
        "broken": "incorrect",
    }
    assert [result.scores["verdict"] for result in finding.values()] == [1, 0, 1, 0, 0, 0]


def test_several_judges_are_metrics_beside_one_another(cases: list[Case]) -> None:
    def answer(request: Request) -> str:
        replies = {"rubric@": "Good. [RESULT] 4", "solver_miniature@": 'No.\n{"equivalent": false}'}
        known = (text for name, text in replies.items() if request.purpose.startswith(name))
        return next(known, RIGHT)

    answerer = Scripted(answer)
    metrics = "ex,judge[rubric],judge[solver_miniature],flex,judge,verdict"
    finding = run(cases, answerer, metrics, for_every_metric=False)
    scores = {result.id: result.scores for result in finding.results()}
    # Every pair that runs is asked about, by each judge; a failure is 0 without a call.
    assert {label: scores["same"][label] for label in metrics.split(",")} == {
        "ex": 1, "judge[rubric]": 1, "judge[solver_miniature]": 0, "flex": 1, "judge": 1,
        "verdict": 1,
    }  # fmt: skip
    assert all(value == 0 for value in scores["broken"].values())
    purposes = [request.purpose.partition("@")[0] for request in answerer.requests]
    assert purposes.count("rubric") == purposes.count("solver_miniature") == 5
    # The metrics flex and judge want the same judge: it is asked once.
    assert purposes.count("flex_eq") + purposes.count("flex_neq") == 5
    assert finding.manifest.stages["judge"].count("rubric@1 for judge[rubric]") == 1


def test_a_judge_that_no_one_could_ask_leaves_its_metric_unscored(cases: list[Case]) -> None:
    options = Options("ex,judge[rubric]", workers=0, cache=None)
    result = by_id(evaluate(cases, answers(), options=options))
    assert result["same"].scores == {"ex": 1.0, "judge[rubric]": None}


def test_by_intent_the_judge_is_asked_about_differences_alone(cases: list[Case]) -> None:
    answerer = Scripted(WRONG)
    finding = by_id(run(cases, answerer, policy="intent"))
    assert {name for name, result in finding.items() if opinions(result)} == {
        "extra",
        "other",
        "unlike",
    }
    assert [result.scores["verdict"] for result in finding.values()] == [1, 1, 0, 0, 0, 0]
    assert {result.situation for result in finding.values()} >= {"proved", "harmless_difference"}
    assert all(result.p_right is not None for result in finding.values())


def opinions(result: Result) -> list[Judged]:
    return [piece for piece in result.evidence if isinstance(piece, Judged)]


def test_the_judge_sees_the_witness_and_how_results_relate(cases: list[Case]) -> None:
    answerer = Scripted(RIGHT)
    run(cases, answerer)
    text = {
        name: next(
            request.messages[-1].content
            for request in answerer.requests
            if PAIRS[name][1] in request.messages[-1].content
        )
        for name in ("lucky", "other")
    }
    assert "they differ when a row of city has no name (NULL)" in text["lucky"]
    assert "2 of the gold's rows are missing" in text["other"]


def test_flex_asks_about_every_pair_that_runs(cases: list[Case]) -> None:
    answerer = Scripted(RIGHT)
    answer = run(cases, answerer, "flex", judge="flex")
    assert len(answerer.requests) == len(PAIRS) - 1
    assert [result.scores["flex"] for result in answer.results()] == [1, 1, 1, 1, 1, 0]
    prompts = {request.purpose for request in answerer.requests}
    assert prompts == {"flex_eq@1", "flex_neq@1"}
    assert answer.summary.judge["questions"] == answer.summary.judge["calls"] == len(PAIRS) - 1
    costs = [piece.cost for result in answer.results() for piece in opinions(result)]
    assert costs == [pytest.approx(0.5)] * (len(PAIRS) - 1)


def test_the_judge_that_was_chosen_is_asked_about_every_pair(cases: list[Case]) -> None:
    answerer = Scripted('{"score": 5}\n' + RIGHT)
    answer = run(cases, answerer, "flex", judge="cascade")
    assert {request.purpose.partition("@")[0] for request in answerer.requests} == {
        "cascade_alone",
        "cascade_challenge",
    }
    asked_by = {each.by for result in answer.results() for each in opinions(result)}
    assert asked_by == {"cascade"}
    assert answer.manifest.stages["judge"].startswith("cascade@2, model m")


def test_the_judge_of_flex_is_flex_where_none_was_chosen(cases: list[Case]) -> None:
    answer = run(cases, Scripted(RIGHT), "flex,verdict", judge="evidence", for_every_metric=False)
    by = {(e.by, *e.metrics) for result in answer.results() for e in opinions(result)}
    assert by == {("flex", "flex"), ("evidence", "verdict")}
    counts = answer.manifest.stages["judge"]
    assert " for verdict, flex@1 for flex, model m" in counts
    assert counts.startswith("evidence@")
    alone = run(cases, Scripted(RIGHT), "flex", judge="evidence", for_every_metric=False)
    assert alone.manifest.stages["judge"] == "flex@1, model m"


@pytest.mark.parametrize(
    ("metrics", "preset", "prompt"),
    [
        ("flex", "", "flex_neq@1"),
        ("flex", "bird", "flex_eq@1"),
        ("ex[bird],ex,flex", "", "flex_eq@1"),
        ("ex,ex[bird],flex", "bird", "flex_neq@1"),
    ],
)
def test_which_prompt_flex_gets_follows_the_runs_ex(
    make_case: MakeCase, metrics: str, preset: str, prompt: str
) -> None:
    """Duplicates are lost: a difference to ``strict``, and none to BIRD's script."""
    case = make_case("a", "SELECT 1 UNION ALL SELECT 1")
    answerer = Scripted(RIGHT)
    options = Options(metrics, workers=0, cache=None, judge=judged(answerer, "flex"))
    benchmark = replace(as_benchmark([case]), preset=preset)
    run = evaluate(benchmark, {"a": "SELECT 1"}, options=options)
    assert [request.purpose for request in answerer.requests] == [prompt]
    counts = run.manifest.stages.get("flex")
    assert counts == ("results match by the preset bird" if prompt == "flex_eq@1" else None)


def test_metrics_that_ask_the_same_share_one_question(cases: list[Case]) -> None:
    """The judge of FLEX shows no evidence, so that the verdict asks it nothing else."""
    finding = by_id(run(cases, Scripted(RIGHT), "flex,verdict", judge="flex"))
    prompts = {
        name: [list(opinion.metrics) for opinion in opinions(result)]
        for name, result in finding.items()
    }
    assert prompts == {
        "same": [["flex"]],
        "lucky": [["flex", "verdict"]],
        "extra": [["flex"]],
        "other": [["flex", "verdict"]],
        "unlike": [["flex", "verdict"]],
        "broken": [],
    }


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("I would rather not say.", Reason.JUDGE_UNPARSEABLE),
        (lambda _: NoReply("down", 3), Reason.JUDGE_UNAVAILABLE),
    ],
)
def test_without_a_verdict_a_case_is_to_review_counted_and_not_wrong(
    cases: list[Case], answer: Any, reason: Reason
) -> None:
    finding = run(cases, Scripted(answer))
    result = by_id(finding)["other"]
    assert (result.verdict, result.scores["verdict"]) == (Verdict.NEEDS_REVIEW, None)
    assert reason in result.reasons
    name = "unparseable" if reason is Reason.JUDGE_UNPARSEABLE else "unavailable"
    assert finding.summary.judge[name] == 3
    assert finding.estimate("verdict").review == 3
    assert outcome([finding.summary]).exit_code == 4
    text = write_markdown(finding).read_text("utf-8")
    assert "Questions without a verdict" in text
    assert str(reason) in text


def test_a_cost_limit_stops_cleanly_and_the_same_command_goes_on(
    cases: list[Case], tmp_path: Path
) -> None:
    class Poor(Scripted):
        left = 1

        def ask(self, request: Request) -> Reply | NoReply:
            if not self.left:
                return NoReply("no money", 0, budget=True)
            self.left -= 1
            return super().ask(request)

    out = tmp_path / "run"
    poor = Poor(RIGHT)
    with pytest.raises(Interrupted, match=r"2 cases .* 4 are done") as stopped:
        run(cases, poor, out=out)
    assert continues(stopped.value)
    assert options_of(stopped.value) == [OptionName("max_cost")]
    assert not (out / "summary.json").exists()
    rich = Scripted(RIGHT)
    result = run(cases, rich, out=out)
    assert result.summary.cases == len(PAIRS)
    asked_for = [request.digest() for request in (*poor.requests, *rich.requests)]
    assert len(asked_for) == len(set(asked_for)) == 3, "nothing is asked twice"
    nobody = Scripted(lambda _: pytest.fail("a finished run asks nobody"))
    assert run(cases, nobody, out=out).summary == result.summary


def test_replies_that_wait_in_a_batch_leave_the_run_unfinished(cases: list[Case]) -> None:
    waiting = Scripted(lambda _: NoReply("in a batch", 0, pending=True))
    with pytest.raises(Interrupted, match="3 cases wait") as stopped:
        run(cases, waiting)
    assert continues(stopped.value)
    assert options_of(stopped.value) == [], "no higher limit helps"


def test_repetition_shows_how_steady_the_judge_is(cases: list[Case]) -> None:
    """It wavers on one case of three; the first opinion decides."""

    def answer(request: Request) -> str:
        wavers = "4711" in request.messages[-1].content
        return WRONG if wavers and request.sample else RIGHT

    result = run(cases, Scripted(answer), repeat=3)
    results = by_id(result)
    assert opinions(results["unlike"])[0].repeats == (True, False, False)
    assert results["unlike"].verdict is Verdict.CORRECT
    assert opinions(results["other"])[0].calls == 3
    assert (result.summary.judge["repeated"], result.summary.judge["flipped"]) == (3, 1)


@pytest.mark.slow
def test_workers_gather_and_the_coordinator_asks(
    cases: list[Case], tmp_path: Path, lines_of: Lines
) -> None:
    """The same lines, whoever examines the cases."""
    here = run(cases, Scripted(RIGHT), "ex,flex,verdict", tmp_path / "here")
    there = run(cases, Scripted(RIGHT), "ex,flex,verdict", tmp_path / "there", workers=2)
    assert lines_of(here.folder) == lines_of(there.folder)


def test_without_a_judge_the_report_lists_what_would_be_asked(cases: list[Case]) -> None:
    options = Options("ex,flex,verdict", workers=0, cache=None, policy="strict")
    result = evaluate(cases, answers(), options=options)
    assert result.manifest.stages["policy"] == "strict"
    assert result.summary.judge == {"would_ask": 3}
    assert result.estimate("flex").scored == 1, "only the failed prediction needs no judge"
    text = write_markdown(result).read_text("utf-8")
    assert "no LLM judge was used; it would be asked about 3 cases" in text
    assert all(f"| {name} | people |" in text for name in ("lucky", "other", "unlike"))


def test_the_manifest_tells_judges_apart_and_not_servers(cases: list[Case], tmp_path: Path) -> None:
    first = run(cases, Scripted(RIGHT), out=tmp_path / "run")
    assert first.manifest.stages["judge"] == "evidence@1, model m"
    again = run(cases, Scripted(RIGHT), out=tmp_path / "run", concurrency=3)
    assert again.manifest.fingerprint == first.manifest.fingerprint
    other = replace(judged(Scripted(RIGHT)), settings=Settings(model="m", temperature=0.7))
    counts = other.describe(Asking(open_judge="evidence", open_metrics=("verdict",)))
    assert counts == "evidence@1, model m, temperature 0.7"


def test_a_policy_must_exist(cases: list[Case]) -> None:
    with pytest.raises(UsageError, match=r"'kind'.*results, strict"):
        evaluate(cases, answers(), options=Options("verdict", workers=0, policy="kind"))
