"""``sqlverdict reproduce``: without data, on the demo, and on the published files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from sqlverdict.load.benchmarks.demo import systems

Invoke = Callable[..., Result]

FACTS = Path(__file__).resolve().parents[2] / "docs" / "papers"
SIX = [word for number in range(1, 7) for word in ("--table", f"figure {number}")]


@pytest.fixture(autouse=True)
def _no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLVERDICT_DATA", raising=False)


def exhibits(facts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["names"][0]: each for each in facts["exhibits"]}


def values(exhibit: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {(cell["row"], cell["column"]): cell["ours"] for cell in exhibit["cells"]}


def test_what_needs_no_data_is_as_the_docs_say(invoke: Invoke) -> None:
    result = invoke("reproduce", "etm", "--table", "1", *SIX, "--json")
    assert result.exit_code == 0, result.output
    now, before = json.loads(result.stdout), json.loads((FACTS / "etm.json").read_text("utf-8"))
    assert len(now["exhibits"]) == 7
    old = exhibits(before)
    assert {name: old[name] for name in exhibits(now)} == exhibits(now)
    assert "What to put there:\n  spider: Spider 1.0" in result.stderr


def test_a_table_has_ours_the_papers_the_difference_and_the_reason(invoke: Invoke) -> None:
    result = invoke("reproduce", "etm", "--table", "figure 1", "--out", "out")
    assert result.exit_code == 0, result.output
    assert "Figure 1: a false positive of EXE" in result.stdout
    assert "not equal" in result.stdout
    assert "on an empty table MAX gives a row with NULL" in result.stdout
    assert "2 of 3 values that can be compared are equal" in result.stdout
    assert "written: out/index.html" in result.stderr
    assert json.loads(Path("out/etm.json").read_text("utf-8"))["paper"] == "etm"
    assert "Figure 1" in Path("out/index.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (("etm", "--table", "99"), "etm has no 'table 99'. Expected one of: tables 1, 2, 3, "),
        (("flex", "--data", ".", "--table", "3"), ". has none of the files that this reads"),
        (("flex", "--data", ".", "--table", "3"), "flex/results: the folder results of"),
        (("etm", "--data", "nowhere"), "--data: nowhere is not a folder"),
        (("etn",), "'PAPER': 'etn' is not"),
    ],
)
def test_a_wrong_call_says_what_is_expected(
    args: tuple[str, ...], text: str, invoke: Invoke
) -> None:
    result = invoke("reproduce", *args)
    assert result.exit_code == 2
    assert text in result.stderr


def test_half_of_the_files_names_the_other_half(invoke: Invoke) -> None:
    folder = Path("data/flex/results/agreement")
    folder.mkdir(parents=True)
    csv, half = "experts_agreement_200.csv", "fp_gpt-4o-2024-08-06.jsonl"
    (folder / "fn_gpt-4o-2024-08-06.jsonl").write_text("")
    for table in ("3", "4", "figure 8"):
        result = invoke("reproduce", "flex", "--data", "data", "--table", table)
        assert result.exit_code == 0, result.output
        assert f"flex/results/agreement/{csv} is not in the data folder" in result.stdout
        assert "no value of ours can be compared" in result.stdout
    (folder / csv).write_text("Index,FN_consensus,FP_consensus\n0,0,1\n")
    for table in ("3", "4", "figure 8"):
        result = invoke("reproduce", "flex", "--data", "data", "--table", table)
        assert f"flex/results/agreement/{half} is not in the data folder" in result.stdout


def test_a_wrong_folder_is_said_beside_what_needs_none(invoke: Invoke) -> None:
    Path("other").mkdir()
    words = ("reproduce", "etm", "--data", "other", "--table", "figure 1")
    result = invoke(*words)
    assert result.exit_code == 0
    assert "note: other has none of the files that this reads" in result.stderr


def test_the_variable_names_the_data(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SQLVERDICT_DATA", "nowhere")
    result = invoke("reproduce", "etm", "--table", "1")
    assert result.exit_code == 2
    assert "SQLVERDICT_DATA: nowhere is not a folder" in result.stderr


@pytest.mark.slow
def test_the_demo_shows_the_form_of_tables(invoke: Invoke, demo_run: Any) -> None:
    # The runs of the demo are resumed: those of another metric, search or version are refused.
    for system in systems():
        shutil.copytree(demo_run.folder / "demo" / system, Path("out", "runs", "demo", system))
    names = ("--table", "4", "--table", "6", "--table", "figure 7")
    result = invoke("reproduce", "etm", *names, "--out", "out", "--json")
    assert result.exit_code == 0, result.output
    tables = exhibits(json.loads(result.stdout))
    assert all("The demo's systems are made up" in each["note"] for each in tables.values())
    assert values(tables["table 6"])["bold", "EXE FP"] == pytest.approx(27.4, abs=0.05)
    curve = values(tables["figure 7"])
    steps = ("FN, trees alone", "FN, with P0 to P8", "FN, all rules")
    assert [curve["careful", step] for step in steps] == pytest.approx([54.2, 52.5, 37.3], abs=0.05)
    assert Path("out/etm_contributions_demo.svg").is_file()


@pytest.mark.slow
def test_esm_and_etm_are_the_papers(data_root: Path, invoke: Invoke) -> None:
    tables = ("--table", "4", "--table", "5")
    result = invoke("reproduce", "etm", "--data", data_root, *tables, "--json")
    assert result.exit_code == 0, result.output
    now = exhibits(json.loads(result.stdout))
    equal = {
        name: sorted(cell["column"] for cell in table["cells"] if cell["difference"] == "equal")
        for name, table in now.items()
    }
    assert equal == {"table 4": ["ESM"] * 4 + ["ETM"] * 4, "table 5": ["ESM"] * 2 + ["ETM"] * 2}
    before = exhibits(json.loads((FACTS / "etm.json").read_text("utf-8")))
    assert now == {name: before[name] for name in now}, "write docs/papers/etm.json anew"
