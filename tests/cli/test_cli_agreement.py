"""The commands about metrics and golds: agree, leaderboard with ranks, categories, audit."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sqlverdict.audit.gold import suspect_golds
from sqlverdict.cli.proposals import find_proposals
from sqlverdict.evidence import Evidence, Judged, Related, Tested
from sqlverdict.execute.engine import Limits
from sqlverdict.execute.query_runner import QueryRunner
from sqlverdict.records import Reason, Result, Verdict
from sqlverdict.runlog.folder import RunFolder
from sqlverdict.runlog.log import encode_result
from sqlverdict.runlog.manifest import Manifest
from sqlverdict.runlog.run import read_run

Invoke = Callable[..., Any]

GOLD = "SELECT name FROM item WHERE price > 2"
LUCKY = "SELECT name FROM item"
JSON_KEYS = (
    "kappa",
    "accuracy",
    "eq_accuracy",
    "neq_accuracy",
    "fp",
    "fn",
    "n",
    "unscored",
    "calls",
)


@pytest.fixture
def runs(tmp_path: Path) -> Callable[..., Path]:
    """Writes a run from (ex, flex) pairs; half of the cases are simple."""

    def make(system: str, *pairs: tuple[float, float | None]) -> Path:
        manifest = Manifest(
            system=system,
            benchmark="tiny",
            inputs={},
            metrics={"ex": 1, "flex": 1},
            binary=("ex", "flex"),
            engine="sqlite",
            engine_version="3",
            limits={},
            sqlverdict="0",
            preset="strict",
        )
        folder = RunFolder(tmp_path / "runs" / system, manifest, overwrite=True)
        lines = [encode_result(_result(n, ex, flex)) for n, (ex, flex) in enumerate(pairs)]
        folder.append(enumerate(lines))
        return folder.finish(cases=len(lines)).folder

    return make


def _result(n: int, ex: float, flex: float | None) -> Result:
    result: Evidence = Tested("compare") if ex else Related("compare", (Reason.VALUE_MISMATCH,))
    agrees = None if flex is None else bool(flex)
    opinion = Judged("flex", correct=agrees, calls=1, metrics=("flex",))
    return Result(
        n,
        f"q{n}",
        "shop",
        "Which items cost more than 2?",
        (GOLD,),
        LUCKY,
        False,
        Verdict.CORRECT if ex else Verdict.INCORRECT,
        scores={"ex": ex, "flex": flex},
        evidence=(result, opinion),
        difficulty="simple" if n % 2 else "challenging",
    )


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    people = [(1, [1, 1, 1]), (0, [0, 0, 1]), (1, [1, 1, 1]), (0, [0, 0, 0])]
    lines = [
        json.dumps({"id": f"q{n}", "human": label, "votes": votes})
        for n, (label, votes) in enumerate(people)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_agree_prints_the_figures_of_every_metric(
    runs: Callable[..., Path], labels: Path, invoke: Invoke
) -> None:
    run = runs("a", (1, 1), (1, 0), (0, None), (0, 0))
    result = invoke("agree", run, "--labels", labels, "--label-field", "human", "--json")
    assert result.exit_code == 0
    metrics = json.loads(result.output)["metrics"]
    ex, flex = ([metrics[name][key] for key in JSON_KEYS] for name in ("ex", "flex"))
    assert ex == [0.0, 0.5, 0.5, 0.5, 1, 1, 4, 0, 0]
    assert flex == [1.0, 1.0, 1.0, 1.0, 0, 0, 3, 1, 4]


def test_agree_for_people(runs: Callable[..., Path], labels: Path, invoke: Invoke) -> None:
    run = runs("a", (1, 1), (1, 0), (0, None), (0, 0))
    result = invoke("agree", run, "--labels", labels, "--show", 1)
    assert "a compared with people on 4 labelled cases" in result.output
    assert "Fleiss' kappa of 3 annotators" in result.output
    assert "q1 (shop): people say wrong (votes 0, 0, 1); ex and verdict say right" in result.output
    assert "the first 1 (--show prints more)" in result.output
    assert "flex: 1 labelled case unscored" in result.output


def test_agree_says_what_is_wrong_with_the_call(
    runs: Callable[..., Path], labels: Path, invoke: Invoke
) -> None:
    run = runs("a", (1, 1))
    wrong = invoke("agree", run, "--labels", labels, "--label-field", "humans")
    assert (wrong.exit_code, "Did you mean 'human'" in wrong.output) == (2, True)
    elsewhere = invoke("agree", run, "--labels", labels, "--id-field", "human")
    assert elsewhere.exit_code == 2
    missing = invoke("agree", run, "--labels", labels.with_name("none.jsonl"))
    assert (missing.exit_code, "no such file" in missing.output) == (2, True)


def test_leaderboard_with_ranks_errors_and_figures(
    runs: Callable[..., Path], invoke: Invoke, tmp_path: Path
) -> None:
    a, b = runs("a", (1, 0), (1, 0), (0, 0)), runs("b", (1, 1), (0, 1), (0, 1))
    figures = tmp_path / "figures"
    result = invoke(
        "leaderboard", a, b, "--baseline-metric", "ex", "--type", "a=open", "--reference", "flex",
        "--figures", figures,
    )  # fmt: skip
    assert result.exit_code == 0
    assert "1 (↑1)  b" in result.output
    assert "challenging" in result.output
    assert "errors of the metrics against flex" in result.output
    assert {path.name for path in figures.iterdir()} == {
        "flex_scores.svg",
        "flex_types.svg",
        "flex_types_errors.svg",
        "flex_difficulties.svg",
    }
    as_json = json.loads(
        invoke("leaderboard", a, b, "--metric", "flex", "--baseline-metric", "ex", "--json").output
    )
    assert [board["metric"] for board in as_json["boards"]] == ["flex"]
    assert as_json["changes"][0]["shifts"][0]["system"] == "b"
    marked = invoke("leaderboard", a, b, "--baseline-metric", "ex", "--format", "md").output
    assert "| 1 (↑1) | b |" in marked


def test_a_plain_leaderboard_is_as_before(runs: Callable[..., Path], invoke: Invoke) -> None:
    a = runs("a", (1, 0), (1, None))
    boards = json.loads(invoke("leaderboard", a, "--json").output)
    assert [board["metric"] for board in boards] == ["ex"]
    wrong = invoke("leaderboard", a, "--type", "a=open")
    assert (wrong.exit_code, "give --baseline-metric" in wrong.output) == (2, True)


def test_a_metric_that_scored_nothing_is_left_out_unless_asked_for(
    runs: Callable[..., Path], invoke: Invoke
) -> None:
    a = runs("a", (1, None), (0, None))
    result = invoke("leaderboard", a, "--baseline-metric", "ex")
    assert result.exit_code == 0
    assert "flex scored no case in every run: left out" in result.output
    assert invoke("leaderboard", a, "--baseline-metric", "ex", "--metric", "flex").exit_code == 2


def test_leaderboard_against_labels(
    runs: Callable[..., Path], labels: Path, invoke: Invoke
) -> None:
    a = runs("a", (1, 1), (1, 0), (0, 0), (0, 0))
    errors = json.loads(invoke("leaderboard", a, "--labels", labels, "--json").output)["errors"]
    assert [(e["metric"], e["fp"], e["fn"]) for e in errors["errors"]] == [
        ("ex", 1, 1),
        ("flex", 0, 1),
    ]


def test_categories(runs: Callable[..., Path], invoke: Invoke, tmp_path: Path) -> None:
    a = runs("a", (1, 0), (0, 1), (0, 0), (1, 1), (1, None))
    table = ("table", a, "--of", "categories", "--metric", "flex")
    result = invoke(*table, "--by", "all", "--figures", tmp_path / "f")
    assert result.exit_code == 0
    assert "5 cases by flex: 1 TP, 1 FP, 1 TN, 1 FN, 1 in no set" in result.output
    assert "filtering" in result.output
    assert (tmp_path / "f" / "errors.svg").is_file()
    shares = json.loads(invoke(*table, "--json").output)["shares"]
    assert {"outcome": "FN", "label": "wrong_gold", "count": 1, "cases": 1}.items() <= shares[
        0
    ].items()
    assert "| all | FP | filtering |" in invoke(*table, "--format", "md").output
    assert "all,FP,filtering,1" in invoke(*table, "--format", "csv").output
    for wrong, message in (
        (("--metric", "ex"), "takes one metric"),
        (("--intervals",), "--intervals is for a table of scores, not of categories"),
        (("--show", 3), "--show is for a table of trials"),
        (("--json", "--format", "md"), "cannot be combined"),
    ):
        refusal = invoke(*table, *wrong)
        assert refusal.exit_code == 2
        assert message in refusal.stderr
    refusal = invoke("table", a, "--by", "system")
    assert (refusal.exit_code, "one --by: difficulty or database" in refusal.stderr) == (2, True)


def test_audit_from_run_folders_alone(
    runs: Callable[..., Path], invoke: Invoke, tmp_path: Path
) -> None:
    a, b = runs("a", (0, 1), (1, 1)), runs("b", (0, 1), (1, 1))
    out, jsonl = tmp_path / "suspects.md", tmp_path / "suspects.jsonl"
    result = invoke("audit", a, b, "--out", out, "--out", jsonl)
    assert result.exit_code == 0
    assert "1 of 2 golds may be wrong, by the answers of 2 systems: rank" in result.output
    assert "systems_agree: 2 of 2 systems give the same query" in result.output
    assert "note: no query was run again" in result.output
    assert out.read_text().startswith("# Golds under suspicion")
    (record,) = [json.loads(line) for line in jsonl.read_text().splitlines()]
    assert record["id"] == "q0"
    assert json.loads(invoke("audit", a, b, "--json").output)["golds"] == 2
    assert invoke("audit", a, "--execute").exit_code == 2


def test_audit_with_the_databases(tiny: Any, invoke: Invoke, runs: Callable[..., Path]) -> None:
    a, b = runs("a", (0, 0)), runs("b", (0, 0))
    # The same case, so that the question's knowledge is at hand: none.
    cases = tiny.root / "audited.jsonl"
    cases.write_text(json.dumps({"id": "q0", "db_id": "shop", "gold": GOLD}) + "\n")
    where = ("--cases", cases, "--databases", tiny.databases, "--execute")
    result = invoke("audit", a, b, *where, "--json")
    assert result.exit_code == 0
    read = json.loads(result.output)
    assert read["notes"] == []
    (suspicion,) = [s for s in read["suspects"][0]["suspicions"] if s["name"] == "systems_agree"]
    assert suspicion["detail"]["answer"] == [["pen"], ["pad"], ["ink"]]


def test_audit_proposes_better_golds(tiny: Any, invoke: Invoke, runs: Callable[..., Path]) -> None:
    a, b = runs("a", (0, 0)), runs("b", (0, 0))
    page, text = tiny.root / "review.html", tiny.root / "suspects.md"
    where = ("--databases", tiny.databases)
    result = invoke("audit", a, b, *where, "--propose", "--out", page, "--out", text, "--json")
    assert result.exit_code == 0, result.output
    (suspect,) = json.loads(result.stdout)["suspects"]
    first = suspect["proposals"][0]
    assert first["systems"] == first["to_right"] == ["a", "b"]
    assert first["after"]["rows"] == [["pen"], ["pad"], ["ink"]]
    assert first["difference"]["new"]
    assert first["gold"] in text.read_text()
    assert b'id="page-data"' in page.read_bytes()
    printed = invoke("audit", a, b, *where, "--propose").output
    assert "proposal 1, system_answers: the query of 2 systems with one answer" in printed
    assert "would become right: a, b" in printed


def test_proposals_tell_how_many_golds_were_examined(runs: Callable[..., Path]) -> None:
    audited = [read_run(runs("a", (0, 0), (0, 0))), read_run(runs("b", (0, 0), (0, 0)))]
    report = suspect_golds(audited)
    steps: list[tuple[int, int]] = []
    with closing(QueryRunner("sqlite", Limits(), None)) as runner:
        find_proposals(audited, report, runner, lambda _: None, lambda *step: steps.append(step))
    assert steps == [(0, 2), (1, 2)]


def test_a_review_page_needs_proposals_and_they_need_databases(
    runs: Callable[..., Path], invoke: Invoke, tmp_path: Path
) -> None:
    a = runs("a", (0, 1))
    refusal = invoke("audit", a, "--out", tmp_path / "review.html")
    assert (refusal.exit_code, "add --propose" in refusal.stderr) == (2, True)
    refusal = invoke("audit", a, "--propose")
    assert (refusal.exit_code, "--propose needs the databases" in refusal.stderr) == (2, True)


def test_agree_takes_several_runs_and_draws_them(
    runs: Callable[..., Path], labels: Path, invoke: Invoke, tmp_path: Path
) -> None:
    a = runs("a", (1, 1), (1, 0), (0, None), (0, 0))
    b = runs("b", (1, 1), (1, 1), (0, 1), (0, 0))
    figures = tmp_path / "figures"
    options = ("--combined", "any(ex, *)", "--by", "difficulty", "--figures", figures)
    result = invoke("agree", a, b, "--labels", labels, *options)
    assert result.exit_code == 0, result.output
    assert "a and b compared with people on 4 labelled cases" in result.output
    assert "any(ex, a: flex)" in result.output
    assert "Kappa by difficulty" in result.output
    assert "b: flex" in (figures / "kappa.svg").read_text()
    wrong = invoke("agree", a, b, "--labels", labels, "--combined", "best(ex, *)")
    assert (wrong.exit_code, "no rule 'best'" in wrong.output) == (2, True)
