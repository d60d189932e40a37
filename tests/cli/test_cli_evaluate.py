"""`evaluate`: every way in, what is written, what is said, and the exit code."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from sqlverdict.report.files import FILES

Invoke = Callable[..., Result]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (path / "results.jsonl").read_text().splitlines()]


def test_a_gold_file(tiny: Any, invoke: Invoke, tmp_path: Path) -> None:
    predictions = tiny.predictions("SELECT 3", "SELECT price FROM item")
    out = tmp_path / "run"
    result = invoke("evaluate", "--cases", tiny.gold, "--predictions", predictions, "--out", out)
    assert result.exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == sorted(FILES)
    assert [line["verdict"] for line in lines(out)] == ["correct", "incorrect", *["correct"] * 2]
    for part in (
        "mine on gold.txt: 4 cases",
        "75.0%",
        "VALUE_MISMATCH",
        f"show {out} 1",
        "sqlite 3.",
    ):
        assert part in result.stdout
    report = (out / "report.md").read_text()
    assert "75.0%" in report
    assert (
        f"sqlverdict evaluate --cases {tiny.gold} --predictions {predictions} --out {out}" in report
    )
    assert ET.parse(out / "junit.xml").getroot().get("failures") == "1"


@pytest.mark.slow
def test_the_default_place_is_named_after_the_system(tiny: Any, invoke: Invoke) -> None:
    invoke("evaluate", "--cases", tiny.gold, "--predictions", tiny.predictions(), "--quiet")
    assert Path("runs/mine/summary.json").is_file()
    invoke(
        "evaluate", "--cases", tiny.gold, "--predictions", f"a/b={tiny.predictions()}", "--quiet"
    )
    assert Path("runs/a_b/summary.json").is_file()


def test_cases_that_carry_their_predictions(tiny: Any, invoke: Invoke) -> None:
    result = invoke("evaluate", "--cases", tiny.cases(), "--out", "run", "--name", "inline")
    assert result.exit_code == 0
    assert "inline on cases.jsonl: 4 cases" in result.stdout
    assert "100.0%" in result.stdout


def test_cases_with_predictions_of_their_own(tiny: Any, invoke: Invoke) -> None:
    cases = tiny.cases(prediction=None)
    predictions = tiny.root / "p.json"
    predictions.write_text(json.dumps({f"0-{n}": "SELECT 3" for n in range(4)}))
    result = invoke(
        "evaluate", "--cases", cases, "--predictions", predictions, "--out", "run", "--json"
    )
    (run,) = json.loads(result.stdout)["runs"]
    assert run["verdicts"] == {"correct": 1, "incorrect": 3}


def test_a_csv_file_with_a_column_map(tiny: Any, invoke: Invoke) -> None:
    table = tiny.root / "q.csv"
    table.write_text("nr,db,sql\n7,shop,SELECT count(*) FROM item\n")
    predictions = tiny.root / "p.csv"
    predictions.write_text("id,sql\n7,SELECT 3\n")
    columns = ("--column", "nr=id", "--column", "db=db_id", "--column", "sql=gold")
    way = ("--benchmark", "csv", "--root", table)
    result = invoke("evaluate", *way, *columns, "--predictions", predictions, "--out", "run")
    assert result.exit_code == 0
    assert lines(Path("run"))[0]["id"] == "7"


def test_several_systems_in_one_run(tiny: Any, invoke: Invoke) -> None:
    good, bad = tiny.predictions(), tiny.predictions("SELECT 0", name="bad.txt")
    result = invoke(
        "evaluate", "--cases", tiny.gold, "--predictions", f"good={good}", "--predictions", bad,
        "--out", "all", "--metrics", "ex,text_match",
    )  # fmt: skip
    assert result.exit_code == 0
    assert sorted(path.name for path in Path("all").iterdir()) == ["bad", "good"]
    assert "2 systems on gold.txt" in result.stdout
    assert result.stdout.index("good ") < result.stdout.index("bad ")
    assert "sqlverdict compare all/good all/bad" in result.stdout


def test_json_has_fractions_and_the_exit_code(tiny: Any, invoke: Invoke) -> None:
    predictions = tiny.predictions("SELECT 0")
    result = invoke("evaluate", "--cases", tiny.gold, "--predictions", predictions, "--json")
    content = json.loads(result.stdout)
    assert content["exit_code"] == 0
    assert content["runs"][0]["estimates"][0]["value"] == 0.75
    assert content["runs"][0]["folder"] == "runs/mine"


def test_some_cases_that_cannot_be_evaluated_make_exit_code_4(tiny: Any, invoke: Invoke) -> None:
    (tiny.databases / "club" / "club.sqlite").unlink()
    result = invoke("evaluate", "--cases", tiny.gold, "--predictions", tiny.predictions())
    assert result.exit_code == 4
    assert "1 of 4 cases could not be evaluated" in result.stdout
    assert "(exit code 4)" in result.stdout
    assert "1 database not found" in result.stdout
    quiet = invoke("evaluate", "--cases", tiny.gold, "--predictions", tiny.predictions(), "--quiet")
    assert (quiet.exit_code, quiet.stdout.count("\n")) == (4, 1)
    assert "could not be evaluated" in quiet.stderr


def test_nothing_evaluated_makes_exit_code_3_and_em_still_works(tiny: Any, invoke: Invoke) -> None:
    empty = tiny.root / "empty"
    empty.mkdir()
    common = ("--cases", tiny.gold, "--databases", empty, "--predictions", tiny.predictions())
    result = invoke("evaluate", *common, "--out", "a")
    assert result.exit_code == 3
    assert "nothing could be evaluated" in result.stdout
    assert "doctor" in result.stdout
    assert invoke("evaluate", *common, "--out", "b", "--metrics", "text_match").exit_code == 0
    assert invoke("evaluate", *common, "--out", "c", "--metrics", "ex,text_match").exit_code == 4


def test_a_second_call_resumes_and_another_run_is_refused(tiny: Any, invoke: Invoke) -> None:
    common = ("evaluate", "--cases", tiny.gold, "--out", "run")
    predictions = tiny.predictions()
    first = invoke(*common, "--predictions", predictions)
    before = Path("run/results.jsonl").read_bytes()
    again = invoke(*common, "--predictions", predictions)
    assert again.stdout == first.stdout
    assert "4 cases already done" in again.stderr
    assert Path("run/results.jsonl").read_bytes() == before
    other = tiny.predictions("SELECT 0", name="other.txt")
    refusal = invoke(*common, "--predictions", other)
    assert refusal.exit_code == 2
    assert "holds another run: the predictions changed since that run" in refusal.stderr
    assert invoke(*common, "--predictions", other, "--overwrite").exit_code == 0


def test_part_of_a_benchmark(tiny: Any, invoke: Invoke) -> None:
    common = ("evaluate", "--cases", tiny.gold, "--predictions", tiny.predictions())
    invoke(*common, "--out", "first", "--limit", 2)
    assert [line["id"] for line in lines(Path("first"))] == ["0", "1"]
    invoke(*common, "--out", "some", "--only", "3, 1")
    assert [line["id"] for line in lines(Path("some"))] == ["1", "3"]
    manifest = json.loads(Path("some/manifest.json").read_text())
    assert manifest["inputs"]["selection"] == "only 3, 1"
    refusal = invoke(*common, "--out", "first")
    assert (refusal.exit_code, "selection" in refusal.stderr) == (2, True)
    unknown = invoke(*common, "--out", "x", "--only", "99")
    assert unknown.stderr.startswith("error: --only: no case has the id '99'")


def test_part_of_a_stream(tiny: Any, invoke: Invoke) -> None:
    common = ("evaluate", "--cases", tiny.cases())
    assert invoke(*common, "--out", "a", "--limit", 1).exit_code == 0
    assert len(lines(Path("a"))) == 1
    invoke(*common, "--out", "b", "--only", "0-2")
    assert [line["id"] for line in lines(Path("b"))] == ["0-2"]
    assert "no case has the id 'x'" in invoke(*common, "--out", "c", "--only", "0-1,x").stderr


def test_a_schema_is_checked_and_recorded(tiny: Any, invoke: Invoke) -> None:
    schema = tiny.root / "schema.sql"
    schema.write_text("CREATE TABLE item (name TEXT)")
    common = ("evaluate", "--cases", tiny.gold, "--predictions", tiny.predictions())
    assert invoke(*common, "--out", "a", "--schema", schema).exit_code == 0
    assert len(json.loads(Path("a/manifest.json").read_text())["inputs"]["schema"]) == 64
    assert invoke(*common, "--out", "b", "--schema", tiny.databases).exit_code == 0
    wrong = invoke(*common, "--out", "c", "--schema", tiny.root / "nowhere")
    assert (wrong.exit_code, "there is no schema at" in wrong.stderr) == (2, True)


@pytest.mark.slow
def test_limits_reach_the_queries(tiny: Any, invoke: Invoke) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    predictions = tiny.predictions(
        "SELECT 3", "SELECT name FROM item", "SELECT name FROM item", endless
    )
    common = (
        "evaluate",
        "--cases",
        tiny.gold,
        "--predictions",
        predictions,
        "--no-cache",
        "--workers",
        0,
    )
    invoke(*common, "--out", "b", "--timeout", 2)
    last = json.loads(Path("b/results.jsonl").read_text().splitlines()[-1])
    assert (last["reasons"], "after 2 s" in last["message"]) == (["EXECUTION_TIMEOUT"], True)
    result = invoke(
        *common, "--out", "a", "--set", "max-steps=50000", "--set", "max-rows=3", "--json"
    )
    assert json.loads(result.stdout)["runs"][0]["reasons"]["EXECUTION_TIMEOUT"] == 1
    rows = invoke(
        *common, "--out", "c", "--set", "max-steps=50000", "--set", "max-rows=2", "--json"
    )
    assert rows.exit_code == 4
    assert json.loads(rows.stdout)["runs"][0]["faults"] == {"gold": 1}


def test_missing_predictions_are_an_error_unless_allowed(tiny: Any, invoke: Invoke) -> None:
    predictions = tiny.root / "p.json"
    predictions.write_text(json.dumps({"0": "SELECT 3", "1": None, "2": "null"}))
    common = ("evaluate", "--cases", tiny.gold, "--predictions", predictions, "--out", "run")
    result = invoke(*common)
    assert result.exit_code == 2
    assert "1 of 4 cases have no prediction" in result.stderr
    allowed = invoke(*common, "--allow-missing")
    assert allowed.exit_code == 0
    assert [line["verdict"] for line in lines(Path("run"))] == [
        "correct",
        "abstained_wrong",
        "abstained_wrong",
        "incorrect",
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "name the cases with --cases FILE"),
        (("--benchmark", "spider"), "needs --root"),
        (("--benchmark", "spyder", "--root", "."), "Did you mean 'spider'?"),
        (("--cases", "{gold}", "--benchmark", "demo"), "found both"),
        (("--cases", "{gold}"), "no predictions"),
        (("--cases", "{gold}", "--predictions", "nowhere.txt"), "there is no such file"),
        (("--cases", "nowhere.txt", "--predictions", "{gold}"), "nowhere.txt"),
        (("--cases", "{gold}", "--predictions", "{short}"), "found 1 line, expected 4"),
        (
            ("--cases", "{gold}", "--predictions", "{gold}", "--metrics", "exx"),
            "Did you mean 'ex'?",
        ),
        (
            ("--cases", "{gold}", "--predictions", "{gold}", "--metrics", "ex[b]"),
            "no parameter 'b'",
        ),
        (("--cases", "{gold}", "--predictions", "{gold}", "--engine", "db9"), "no engine called"),
        (
            ("--cases", "{gold}", "--predictions", "{gold}", "--databases", "no"),
            "no file or folder no",
        ),
        (
            ("--cases", "{gold}", "--predictions", "{gold}", "--predictions", "{gold}"),
            "two systems",
        ),
        (("--cases", "{gold}", "--predictions", "{gold}", "--column", "x"), "expected NAME=FIELD"),
        (
            ("--cases", "{gold}", "--predictions", "{gold}", "--set", "prediction-format=xml"),
            "no prediction format 'xml'",
        ),
        (
            ("--cases", "{gold}", "--predictions", "{gold}", "--set", "cache=c", "--no-cache"),
            "cannot be combined",
        ),
        (("--cases", "{gold}", "--predictions", "{gold}", "--limit", "0"), "--limit"),
    ],
)
def test_wrong_calls_are_told_in_one_line(
    tiny: Any, invoke: Invoke, args: tuple[str, ...], message: str
) -> None:
    short = tiny.root / "short.txt"
    short.write_text("SELECT 1\n")
    result = invoke("evaluate", *(arg.format(gold=tiny.gold, short=short) for arg in args))
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.output
    assert not Path("runs").exists()


@pytest.mark.data
def test_spiders_own_table_from_the_command_line(data_root: Path, invoke: Invoke) -> None:
    """The classic table of a whole run equals the one made from the official verdicts."""
    root = data_root / "spider"
    predictions = root / "predictions" / "dev" / "DAIL.txt"
    way = ("--benchmark", "spider", "--root", root, "--predictions", predictions)
    result = invoke("evaluate", *way, "--metrics", "ex[spider]", "--out", "run")
    assert result.exit_code == 4
    reference = data_root / "spider_reference" / "dev_DAIL.jsonl"
    items = [json.loads(line) for line in reference.read_text().splitlines()]
    levels = ("easy", "medium", "hard", "extra")
    groups = [[i for i in items if "exec" in i and i["hardness"] in (level,)] for level in levels]
    groups.append([item for group in groups for item in group])
    counts = "".join(f" {len(group):<20d}" for group in groups)
    means = "".join(f" {sum(i['exec'] for i in g) / len(g):<20.3f}" for g in groups)
    assert f"{'count':20}{counts}\n" in result.stdout
    assert f"{'execution':20}{means}\n" in result.stdout
