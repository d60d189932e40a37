"""``evaluate --system`` and ``reliability``: figures, JSON, labels, policies, files."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

Invoke = Callable[..., Result]

RECORDS = (
    # id, gold, decision of a, decision of b, confidence of b
    ("1", "SELECT count(*) FROM item", "SELECT 3", "SELECT 3", 0.9),
    ("2", "SELECT name FROM item", None, "SELECT name FROM item", 0.8),
    ("3", "SELECT count(*) FROM item", "SELECT 4", "SELECT nothing FROM item", 0.3),
    ("4", None, None, "SELECT 1", 0.2),
    ("5", None, "SELECT 1", None, 0.1),
)


@pytest.fixture
def trust(tiny: Any, tmp_path: Path) -> Path:
    """A small TrustSQL file with two recorded systems; ``b`` is recorded for four cases."""
    path = tmp_path / "trust.jsonl"
    with path.open("w") as out:
        for case_id, gold, a, b, sure in RECORDS:
            decision = {"a": a} if case_id == "5" else {"a": a, "voting": b}
            record = {
                "id": case_id,
                "db_id": "shop",
                "question": "?",
                "answerable": gold is not None,
                "gold_sql": gold,
                "unans_type_inferred": None if gold else "non-sql",
                "decision": decision,
                "gates": {"vote_frac": sure},
            }
            out.write(json.dumps(record) + "\n")
    return path


@pytest.fixture
def run(trust: Path, tiny: Any, invoke: Invoke) -> Callable[..., Result]:
    def evaluate(system: str, *more: object) -> Result:
        return invoke(
            "evaluate", "--benchmark", "trustsql", "--root", trust, "--databases", tiny.databases,
            "--system", system, "--metrics", "ex[trustsql_spider],ex", "--out", system, "--workers", 0, *more,
        )  # fmt: skip

    return evaluate


def test_a_recorded_system_from_file_to_score(run: Callable[..., Result], invoke: Invoke) -> None:
    assert run("a").exit_code == 0
    result = invoke("reliability", "a", "--penalty", "0,10,N", "--json")
    assert result.exit_code == 0
    content = json.loads(result.stdout)
    assert content["correct_by"] == "ex[trustsql_spider]"
    assert content["outcomes"] == {
        "correct": 1,
        "abstained_answerable": 1,
        "wrong": 1,
        "answered_unanswerable": 1,
        "abstained_unanswerable": 1,
        "needs_review": 0,
    }
    assert content["rs"]["ANS+UnANS"] == {"0": 0.4, "10": (2 - 20) / 5, "N": (2 - 10) / 5}
    assert content["rs"]["ANS"] == {"0": 1 / 3, "10": -3.0, "N": (1 - 3) / 3}
    assert content["rs_percent"]["ANS+UnANS"]["10"] == -360.0
    assert content["rs"]["ANS+UnANS(25%)"]["0"] == pytest.approx((1 + 0.25) / 3.5)
    assert content["n"] == {
        "ANS": 3,
        "ANS+UnANS(25%)": 3.5,
        "ANS+UnANS(25%) subset": 4,
        "ANS+UnANS": 5,
    }
    assert content["break_even"]["ANS+UnANS"]["penalty"] == 0.0
    assert content["break_even"]["ANS"]["penalty"] == 1.0
    assert content["abstain_all"]["ANS+UnANS"] == 0.4
    low, high = content["intervals"]["ANS+UnANS"]["0"]
    assert low <= 0.4 <= high
    assert content["rates"]["over_refusal"]["value"] == pytest.approx(1 / 3)
    assert content["selective"] is None


def test_what_is_printed_says_what_correct_means(
    run: Callable[..., Result], invoke: Invoke
) -> None:
    run("a")
    plain = invoke("reliability", "a").stdout
    assert "correctness is decided by the metric ex[trustsql_spider]" in plain
    assert "-360.0" in plain
    assert "ANS: better than ABSTAIN-ALL up to a penalty of 1.00" in plain
    verdict = invoke("reliability", "a", "--metric", "verdict").stdout
    assert "correctness is decided by the verdict of the run" in verdict
    wrong = invoke("reliability", "a", "--metric", "bleu")
    assert wrong.exit_code == 2
    assert (
        "a has no metric 'bleu'. It has ex[trustsql_spider], ex, verdict, proved." in wrong.stderr
    )


def test_views_that_are_one_are_printed_once(
    run: Callable[..., Result], invoke: Invoke, tmp_path: Path
) -> None:
    run("a", "--only", "1,2,3", "--metrics", "ex,verdict")
    result = invoke("reliability", "a").output
    assert result.count("better than ABSTAIN-ALL") == 1
    assert "UnANS" not in result.partition("Outcomes")[0]
    result = invoke("reliability", "a", "--metric", "none").output
    assert "a has no metric 'none'. It has ex, verdict, proved." in result
    (tmp_path / "every").mkdir()
    Path("a").rename(tmp_path / "every" / "a")
    for command in (("show", tmp_path / "every", "1"), ("leaderboard", tmp_path / "every")):
        assert f"Runs in it: '{tmp_path}/every/a'" in invoke(*command).output


def test_a_missing_record_is_an_error_until_it_is_decided(
    run: Callable[..., Result], invoke: Invoke
) -> None:
    refusal = run("voting")
    assert refusal.exit_code == 2
    assert "1 of 5 cases have no record of voting" in refusal.stderr
    assert "never an abstention" in refusal.stderr
    assert run("voting", "--set", "recorded-only=true").exit_code == 0
    content = json.loads(invoke("reliability", "voting", "--json").stdout)
    assert content["items"] == 4
    assert run("voting", "--allow-missing", "--overwrite").exit_code == 0
    content = json.loads(
        invoke("reliability", "voting", "--json", "--as-abstention", "no-sql").stdout
    )
    assert content["mishaps"] == {"error": 1, "missing": 1}
    assert content["outcomes"]["answered_unanswerable"] == 2


def test_policies_confidences_charts_and_comparison(
    run: Callable[..., Result], invoke: Invoke
) -> None:
    run("voting", "--set", "recorded-only=true")
    run("a")
    harm = json.loads(invoke("reliability", "voting", "--json").stdout)
    caught = json.loads(
        invoke("reliability", "voting", "--json", "--as-abstention", "errors").stdout
    )
    assert harm["outcomes"]["wrong"] == 1
    assert caught["outcomes"]["wrong"] == 0
    assert caught["mishaps"] == harm["mishaps"] == {"error": 1}
    selective = harm["selective"]
    assert selective["answers"] == 4
    assert selective["figures"]["coverage_at_0.05"]["value"] == 0.5
    assert selective["heuristic"]["10"]["value"] == 0.8
    assert selective["calibration"]["scale"] == "probability"
    assert selective["certified"][0]["answered"] == 0
    done = invoke("reliability", "voting", "--baseline", "a", "--out", "report")
    assert done.exit_code == 0
    assert "Paired comparison" in done.stdout
    charts = sorted(path.name for path in Path("report").glob("*.svg"))
    assert charts == [
        "calibration.svg",
        "outcomes.svg",
        "risk_coverage.svg",
        "rs_by_penalty.svg",
        "rs_by_share.svg",
        "threshold.svg",
    ]
    for name in charts:
        ET.parse(Path("report") / name)
    page = Path("report/reliability.md").read_text()
    assert "# Reliability of voting on trustsql" in page
    assert all(f"({name})" in page for name in charts)
    assert json.loads(Path("report/reliability.json").read_text())["comparison"]["b"] == "a"


def test_shares_by_hardness_and_type_are_laid_out_as_in_the_paper(
    run: Callable[..., Result], invoke: Invoke
) -> None:
    run("a")
    run("voting", "--set", "recorded-only=true")
    content = json.loads(invoke("reliability", "a", "--json").stdout)
    # Of three answerable items one is right, one held back, one wrong.
    assert content["by_hardness"] == {
        "easy": {
            "items": 3,
            "not_held_back": pytest.approx(2 / 3),
            "correct": pytest.approx(1 / 3),
            "not_wrong": pytest.approx(2 / 3),
        }
    }
    assert content["by_type"] == {"non-sql": {"items": 2, "held_back": 0.5}}
    rs = {part["key"]: part["rs"] for part in content["slices"]}
    # N is the size of the slice.
    assert rs["easy"] == {"0": pytest.approx(1 / 3), "10": -3.0, "N": pytest.approx(-2 / 3)}
    assert rs["non-sql"] == {"0": 0.5, "10": -4.5, "N": -0.5}
    assert invoke("reliability", "a", "--baseline", "voting", "--out", "report").exit_code == 0
    page = Path("report/reliability.md").read_text()
    assert "| system | share | easy (3) |" in page
    assert "| a | not held back (table 8) | 66.7% |" in page
    assert "| voting | answered correctly (table 10) | 66.7% |" in page
    # The two have not as many unanswerable items scored, so no number stands in the heading.
    assert "| system | non-sql |" in page
    assert "| a | 50.0% |\n| voting | 0.0% |" in page


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--penalty", "0,lots", "a number >= 0, or N"),
        ("--penalty", ",", "names none"),
        ("--risk", "5", "shares between 0 and 1"),
    ],
)
def test_wrong_words_are_explained(
    run: Callable[..., Result], invoke: Invoke, option: str, value: str, says: str
) -> None:
    run("a")
    refusal = invoke("reliability", "a", option, value)
    assert refusal.exit_code == 2
    assert says in refusal.stderr


def test_systems_belong_to_benchmarks_that_record_them(tiny: Any, invoke: Invoke) -> None:
    refusal = invoke("evaluate", "--cases", tiny.gold, "--system", "mine")
    assert refusal.exit_code == 2
    assert "a system that the benchmark's file records" in refusal.stderr
    unknown = invoke("evaluate", "--benchmark", "spider", "--root", tiny.root, "--system", "x")
    assert unknown.exit_code == 2


def test_several_runs_are_systems_in_one_table(
    run: Callable[..., Result], invoke: Invoke, tmp_path: Path
) -> None:
    assert run("a").exit_code == run("voting", "--set", "recorded-only=true").exit_code == 0
    result = invoke("reliability", "a", "voting", "--penalty", "0,3", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert "2 systems on 4 common items" in result.output
    assert "RS(3)" in result.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "systems.json", "systems.md", "systems.svg", "systems_by_penalty.svg",
    }  # fmt: skip
    content = json.loads(invoke("reliability", "a", "voting", "--json").stdout)
    assert [one["system"] for one in content["systems"]] == ["a", "voting"]
    assert content["systems"][0]["rs"]["ANS+UnANS"]["0"] == 0.5
    both = invoke("reliability", "a", "voting", "--baseline", "a")
    assert both.exit_code == 2
    assert "name all runs" in both.output
