"""The commands that read runs: compare, check, leaderboard, show; and the demo, and the lists."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sqlverdict.cli.commands.runs import demo
from sqlverdict.cli.main import sqlverdict

Invoke = Callable[..., Result]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def evaluated(make_tiny: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the two runs, made once."""
    folder = tmp_path_factory.mktemp("evaluated")
    tiny = make_tiny(folder / "tiny")
    for name, first, second in (
        ("before", "SELECT 3", "SELECT 'x'"),
        ("after", "SELECT 4", "SELECT name FROM item"),
    ):
        predictions = tiny.predictions(first, second, name=f"{name}.txt")
        options = [
            "--cases",
            tiny.gold,
            "--predictions",
            predictions,
            "--out",
            folder / "runs" / name,
        ]
        done = CliRunner().invoke(sqlverdict, ["evaluate", *map(str, options)])
        assert done.exit_code == 0
    return folder / "runs"


@pytest.fixture
def two_runs(evaluated: Path, invoke: Invoke) -> None:
    """``before`` and ``after``: one case gained, one lost; in the current folder."""
    for folder in evaluated.iterdir():
        shutil.copytree(folder, folder.name)


@pytest.mark.usefixtures("two_runs")
def test_compare_shows_what_changed(invoke: Invoke) -> None:
    result = invoke("compare", "before", "after")
    assert result.exit_code == 0
    assert "1 case gained, 1 lost, 2 right in both, 0 right in neither" in result.stdout
    assert "no significant difference" in result.stdout
    lost = result.stdout[result.stdout.index("lost: 1") : result.stdout.index("gained: 1")]
    for sql in ("SELECT count(*) FROM item", "SELECT 3", "SELECT 4"):
        assert sql in lost
    content = json.loads(invoke("compare", "before", "after", "--json").stdout)
    assert content["outcome"]["gained"] == ["1"]
    assert content["before"] == content["after"] == 0.75
    none = invoke("compare", "before", "after", "--show", 0)
    assert "SELECT 4" not in none.stdout


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("results.jsonl", lambda text: text.replace('"ex":0.0', '"ex":1.0')),
        ("results.jsonl", lambda text: text[: text.index("\n") + 1]),
        ("summary.json", lambda text: text.replace("0.75", "0.99")),
    ],
    ids=["edited", "cut", "summary"],
)
def test_the_gate_refuses_a_run_that_was_changed(
    invoke: Invoke, file: str, change: Callable[[str], str]
) -> None:
    """It read the summary alone."""
    path = Path("before", file)
    path.write_text(change(path.read_text()))
    result = invoke("check", "before", "--min", "ex=0.5")
    assert (result.exit_code, "changed" in result.stderr or "cut short" in result.stderr) == (
        2,
        True,
    )


@pytest.mark.usefixtures("two_runs")
def test_check_is_a_gate(invoke: Invoke) -> None:
    passed = invoke("check", "after", "--min", "ex=0.75", "--max-unscored", "0")
    assert passed.exit_code == 0
    assert "pass  ex at least 75%: 75.00%" in passed.stdout
    failed = invoke(
        "check", "after", "--min", "ex=76%", "--baseline", "before", "--no-regressions",
        "--max-drop", "0%", "--junit", "gate.xml",
    )  # fmt: skip
    assert failed.exit_code == 1
    assert [line[:4] for line in failed.stdout.splitlines() if line[:4] in ("pass", "FAIL")] == [
        "FAIL",
        "FAIL",
        "pass",
    ]
    assert "0: VALUE_MISMATCH" in failed.stdout
    root = ET.parse("gate.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("3", "2")
    content = json.loads(invoke("check", "after", "--min", "ex=0.9", "--json").stdout)
    assert content["passed"] is False


@pytest.mark.usefixtures("two_runs")
def test_check_prints_a_comment_for_a_pull_request(invoke: Invoke) -> None:
    args = ("check", "after", "--baseline", "before", "--no-regressions")
    comment = invoke(*args, "--format", "github")
    assert comment.exit_code == 1
    assert comment.stdout.startswith("<!-- sqlverdict check -->\n### sqlverdict: 1 of 1 condition")
    assert "#### Were right, are not right now: 1\n\n- `0` (" in comment.stdout
    assert "and 1 more" in invoke(*args, "--format", "github", "--show", 0).stdout
    flips = json.loads(invoke(*args, "--json").stdout)["flips"][0]
    assert [case["id"] for case in flips["lost"]] == ["0"]
    assert flips["noise_drop"] is None
    for wrong in (
        (*args, "--max-regressions", 1),
        (*args, "--json", "--format", "github"),
        (*args, "--format", "json"),
        (*args, "--max-drop", "noise"),
        (*args, "--max", "incorrect=1", "--max", "incorrect=2"),
    ):
        assert invoke(*wrong).exit_code == 2
    allowed = invoke(*args[:-1], "--max-regressions", 1, "--max", "incorrect=1")
    assert allowed.exit_code == 0, allowed.output


@pytest.mark.usefixtures("two_runs")
def test_runs_are_read_as_trials(invoke: Invoke) -> None:
    result = invoke("table", "before", "after", "--of", "trials")
    assert result.exit_code == 0, result.output
    assert "all trials agree on 50.0% of the questions" in result.stdout
    assert "they disagree on 0, 1" in result.stdout
    content = json.loads(invoke("table", "before", "after", "--of", "trials", "--json").stdout)
    assert [each["any_right"] for each in content["figures"]] == [0.75, 1.0]
    assert invoke("table", "before", "--of", "trials").exit_code == 2


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize(
    "args",
    [
        ("check", "after"),
        ("check", "after", "--min", "em=0.5"),
        ("check", "after", "--min", "ex"),
        ("check", "after", "--no-regressions"),
        ("check", "nowhere", "--min", "ex=0.5"),
        ("compare", "before", "nowhere"),
        ("compare", "before", "after", "--metric", "em"),
        ("leaderboard",),
        ("leaderboard", "before", "after", "--format", "md", "--json"),
        ("show", "after", "99"),
    ],
)
def test_what_cannot_be_done_is_exit_code_2(invoke: Invoke, args: tuple[str, ...]) -> None:
    result = invoke(*args)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


@pytest.mark.slow
@pytest.mark.usefixtures("two_runs")
def test_leaderboard_in_three_forms(invoke: Invoke) -> None:
    text = invoke("leaderboard", "before", "after").stdout
    assert "2 systems on 4 common cases, by ex" in text
    assert "no significant difference" in text
    marked = invoke("leaderboard", "before", "after", "--format", "md").stdout
    assert "| 1 | after | 75.0% |" in marked
    (board,) = json.loads(invoke("leaderboard", "before", "after", "--json").stdout)
    assert [rank["value"] for rank in board["places"]] == [0.75, 0.75]


@pytest.mark.usefixtures("two_runs")
def test_show_has_everything_about_a_case(invoke: Invoke) -> None:
    result = invoke("show", "after", "0")
    for part in ("SELECT count(*) FROM item", "SELECT 4", "VALUE_MISMATCH", "1 row", "ms"):
        assert part in result.stdout
    assert json.loads(invoke("show", "after", "0", "--json").stdout)["verdict"] == "incorrect"


@pytest.mark.slow
def test_the_demo_shows_itself(
    demo_run: Any, invoke: Invoke, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = (
        "bold",
        "careful",
        "careful-confidence",
        "databases",
        "report.html",
        "risk_coverage.svg",
        "rough",
        "rough-error_gate",
    )
    assert demo_run.files == files
    stdout: str = demo_run.output
    for part in (
        "3 systems on demo: 90 cases",
        "WRITE_BLOCKED",
        "abstained_right",
        "(duplicates_only)",
        "refuted by 1 row (",
        "in short    The prediction ",
        "equal by count_of_never_null because",
        "would ask a judge: ",
        "RS(10)",
        "careful > confidence",
    ):
        assert part in stdout
    places = [stdout.index(f" {name} ") for name in ("careful", "bold", "rough")]
    assert places == sorted(places), "by verdict"
    assert "people would call between" in stdout
    transcript = (ROOT / "README.md").read_text(encoding="utf-8").split("```")[1]
    for line in filter(None, transcript.splitlines()[2:-1]):
        assert line in stdout, f"the README shows {line!r}"
    assert demo.DemoArgs().metrics == "verdict,ex,etm", "the run above has two more"
    # The second time only the form of the output counts: less work for the same runs.
    monkeypatch.setattr(demo, "STEPS", 1_000_000)
    monkeypatch.setattr(demo, "INSTANCES", 1)
    again = invoke("demo", "--json", "--metrics", "ex")
    assert Path("sqlverdict-demo", "report.html").is_file()
    assert len(json.loads(again.stdout)["runs"]) == 5


def test_members_are_listed_and_explained(invoke: Invoke) -> None:
    for kinds, name, words in (
        ("metrics", "ves", "sqrt(T(gold) / T(prediction))"),
        ("presets", "bird", "set(predicted) == set(gold)"),
        ("engines", "sqlite", "authorizer"),
        ("benchmarks", "spider", "train_others.json"),
    ):
        assert name in invoke("explain", kinds).stdout
        assert words in invoke("explain", kinds, name).stdout
        assert words in invoke("explain", kinds.removesuffix("s"), name).stdout
        rows = json.loads(invoke("explain", kinds, "--json").stdout)
        assert name in [row["name"] for row in rows]
        assert invoke("explain", kinds, "nosuch").exit_code == 2
    one = json.loads(invoke("explain", "metric", "ex", "--json").stdout)
    assert one["home"] == "sqlverdict.score.metrics.ex"


def test_one_query_alone_is_shown_in_its_parts(invoke: Invoke) -> None:
    sql = "SELECT count(*) FROM a JOIN b ON a.x = b.x WHERE y > 3"
    report = json.loads(invoke("pair", sql, "--json").stdout)
    assert report["tables"] == ["a", "b"]
    assert "join" in report["features"]
    assert report["trustsql hardness"] == "medium"
    assert "medium" in invoke("pair", "-", stdin=sql).stdout
    wrong = invoke("pair", "SELECT FROM WHERE")
    assert (wrong.exit_code, "PARSE_ERROR" in wrong.stderr) == (2, True)


def test_commands_over_several_runs_refuse_those_of_other_cases(tiny: Any, invoke: Invoke) -> None:
    predictions = tiny.predictions()
    invoke("evaluate", "--cases", tiny.gold, "--predictions", predictions, "--out", "a", "--quiet")
    other = tiny.root / "other.txt"
    other.write_text(
        tiny.gold.read_text().replace("SELECT name FROM item\t", "SELECT price FROM item\t")
    )
    invoke("evaluate", "--cases", other, "--predictions", predictions, "--out", "b", "--quiet")
    for command in (
        ("compare", "a", "b"),
        ("leaderboard", "a", "b"),
        ("check", "b", "--baseline", "a", "--max-drop", "1"),
    ):
        refusal = invoke(*command)
        assert refusal.exit_code == 2
        assert "1 of 4 common ids" in refusal.stderr
        forced = invoke(*command, "--force")
        assert forced.exit_code == 0, forced.output
        assert "values of different cases are compared" in forced.stdout + forced.stderr


@pytest.mark.usefixtures("two_runs")
def test_metrics_have_their_other_names_in_every_command(invoke: Invoke) -> None:
    note = "metric 'exec' is read as 'ex'"
    compared = invoke("compare", "before", "after", "--metric", "exec")
    assert compared.exit_code == 0
    assert note in compared.output
    plain = json.loads(invoke("compare", "before", "after", "--metric", "ex", "--json").stdout)
    other = json.loads(invoke("compare", "before", "after", "--metric", "EXEC", "--json").stdout)
    assert other | {"notes": []} == plain | {"notes": []}
    for least, code in (("40%", 0), ("90%", 1)):
        checked = invoke("check", "after", "--min", f"execution={least}", "--metric", "exec", "--baseline",
                         "before", "--max-drop", "100%")  # fmt: skip
        assert checked.exit_code == code
        assert note in checked.output
        assert f"ex at least {least}" in checked.output
    for command in (
        ("leaderboard", "before", "after", "--metric", "exec"),
        ("table", "before", "--of", "categories", "--metric", "exec"),
    ):
        assert invoke(*command).exit_code == 0, command
    for unknown in ("em", "nonsense"):
        refusal = invoke("check", "after", "--min", f"{unknown}=0.1")
        assert refusal.exit_code == 2
        assert f"has no metric '{unknown}'. It has ex." in refusal.output
    refusal = invoke("compare", "before", "after", "--metric", "ex[nonsense]")
    assert refusal.exit_code == 2
    assert "There is none: metric ex takes no parameter 'nonsense'" in refusal.output
    assert "To add it" not in refusal.output
    twice = invoke("check", "after", "--min", "exec=0.1", "--min", "ex=0.9")
    assert twice.exit_code == 2
    assert "--min names 'ex' twice" in twice.output


def test_an_audit_takes_runs_or_golds_alone(invoke: Invoke) -> None:
    assert "audit [OPTIONS] [RUN...]\n" in invoke("audit", "--help").stdout
    missing = invoke("audit")
    assert missing.exit_code == 2
    assert "--cases" in missing.output


@pytest.mark.parametrize("command", ["table", "leaderboard"])
def test_commands_over_several_runs_say_that_they_take_several(
    command: str, invoke: Invoke
) -> None:
    assert f"{command} [OPTIONS] RUN...\n" in invoke(command, "--help").stdout
    missing = invoke(command)
    assert missing.exit_code == 2
    assert "Missing argument 'RUN...'" in missing.output
