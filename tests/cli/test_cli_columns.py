"""One table with the answers of several systems, tables without ids, names of metrics."""

from __future__ import annotations

import json
import shlex
import sqlite3
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

import sqlverdict as sv

Invoke = Callable[..., Result]
TABLE = """nr,Question,{gold},gpt-4o,llama 3
11,How many items?,SELECT count(*) FROM item,SELECT count(*) FROM item,SELECT 1
12,Which items?,SELECT name FROM item,SELECT name FROM item,SELECT name FROM item
"""
COMMAND = (
    "evaluate",
    "--cases",
    "bot.csv",
    "--databases",
    "shop.db",
    "--quiet",
    "--set",
    "page=false",
)


@pytest.fixture(autouse=True)
def shop(invoke: Invoke) -> None:
    """A table and its database, in the folder of the test."""
    del invoke
    with closing(sqlite3.connect("shop.db")) as database:
        database.executescript("CREATE TABLE item (name); INSERT INTO item VALUES ('a'), ('b');")
    Path("bot.csv").write_text(TABLE.format(gold="Reference"))


def commands(output: str) -> list[list[str]]:
    return [shlex.split(line)[1:] for line in output.splitlines() if line.startswith("  ")]


@pytest.mark.parametrize("gold", ["Reference", "SQL", "gold"])
@pytest.mark.parametrize("more", [(), ("--out", "mine"), ("--out=mine", "--name", "bot")])
def test_one_line_evaluates_several_systems(
    invoke: Invoke, gold: str, more: tuple[str, ...]
) -> None:
    Path("bot.csv").write_text(TABLE.format(gold=gold))
    refusal = invoke(*COMMAND, *more)
    assert "This line evaluates each column as a system" in refusal.output
    (line,) = commands(refusal.output)
    assert line[-4:] == ["--system", "gpt-4o", "--system", "llama 3"]
    outputs = invoke(*line).stdout.splitlines()
    assert [output.partition(" on ")[0] for output in outputs] == ["gpt-4o", "llama 3"]
    folder = Path("mine" if more else "runs")
    assert sorted(each.name for each in folder.iterdir()) == ["gpt-4o", "llama 3"]
    assert invoke("compare", f"{folder}/gpt-4o", f"{folder}/llama 3").exit_code == 0


SYSTEMS = ("--system", "gpt-4o", "--system", "llama 3")


def test_each_system_of_a_sheet_has_a_run_that_is_resumed(invoke: Invoke) -> None:
    verbose = [word for word in COMMAND if word != "--quiet"]
    done = invoke(*verbose, *SYSTEMS, "--out", "all")
    assert done.exit_code == 0
    assert "next: sqlverdict compare all/gpt-4o 'all/llama 3'" in done.output
    runs = {name: sv.read_run(Path("all", name)) for name in ("gpt-4o", "llama 3")}
    assert {name: run.estimate("ex").value for name, run in runs.items()} == {
        "gpt-4o": 1.0,
        "llama 3": 0.5,
    }
    # The same run, whichever systems are evaluated beside it.
    again = invoke(*COMMAND, "--system", "llama 3", "--out", "all/llama 3")
    assert again.exit_code == 0
    # Other commands read the cases again as that command did.
    Path("fix.csv").write_text("id,gold\n11,SELECT 1\n")
    golds = ("--golds", "fix=fix.csv", "--out", "fixed")
    assert invoke("leaderboard", "all/gpt-4o", "all/llama 3", *golds).exit_code == 0
    assert sv.read_run(Path("fixed/llama 3/fix")).estimate("ex").value == 1.0
    assert "SELECT 1" in invoke("show", "all/llama 3", "11").output


def test_an_unclear_gold_is_asked_for_beside_named_systems(invoke: Invoke) -> None:
    Path("bot.csv").write_text(TABLE.format(gold="mixtral").replace("gpt-4o", "phi"))
    refusal = invoke(*COMMAND, "--system", "llama 3")
    lines = commands(refusal.output)
    assert [line[-2:] for line in lines] == [["--column", "mixtral=gold"], ["--column", "phi=gold"]]
    assert invoke(*lines[0]).exit_code == 0


def test_the_columns_of_a_sheet_of_records_may_be_systems_too(invoke: Invoke) -> None:
    records = [
        {"id": "1", "db_id": "shop", "gold": "SELECT 1", "a": "SELECT 1", "b": {"sql": "SELECT 2"}},
        {"id": "2", "db_id": "shop", "gold": "SELECT 1", "a": None, "b": {"sql": "SELECT 1"}},
    ]
    Path("bot.jsonl").write_text("\n".join(map(json.dumps, records)))
    words = ("evaluate", "--cases", "bot.jsonl", "--databases", "shop.db", "--set", "page=false")
    done = invoke(*words, "--system", "a", "--system", "b.sql", "--system", "b", "--out", "all")
    assert done.exit_code == 0, done.output
    assert "next: sqlverdict leaderboard all/a all/b.sql all/b" in done.output
    runs = [sv.read_run(Path("all", name)) for name in ("a", "b.sql", "b")]
    assert [run.estimate("ex").value for run in runs] == [0.5, 0.5, 0.5]
    assert runs[0].summary.abstained == 1
    assert invoke(*done_line(done.output)).exit_code == 0


def done_line(output: str) -> list[str]:
    """The command behind ``next:``."""
    return shlex.split(output.rpartition("next: sqlverdict ")[2])


def test_what_stands_beside_an_unnamed_answer_is_no_systems(invoke: Invoke) -> None:
    Path("bot.csv").write_text(
        "id,gold,prediction,confidence,bot\n1,SELECT 1,SELECT 2,0.9,SELECT 1\n"
    )
    done = invoke(*(word for word in COMMAND if word != "--quiet"), "--system", "bot")
    assert done.exit_code == 0
    assert "not used with --system: 'prediction', 'confidence'" in done.output
    (result,) = sv.read_run(Path("runs/bot")).results()
    assert result.scores["ex"] == 1.0
    assert result.confidence is None
    both = invoke(*COMMAND, "--system", "bot", "--system", "prediction", "--out", "both")
    assert both.exit_code == 0
    assert sv.read_run(Path("both/prediction")).estimate("ex").value == 0.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--system", "gpt"), "has no column 'gpt'. Did you mean 'gpt-4o'? It has 'nr'"),
        ((*SYSTEMS, "--system", "gpt-4o"), "--system gpt-4o is given twice"),
        ((*SYSTEMS, "--name", "mine"), "--name names one system"),
        ((*SYSTEMS, "--column", "gpt-4o=prediction"), "give --system gpt-4o instead of"),
        (
            ("--column", "gpt-4o=prediction", "--column", "llama 3=prediction"),
            "To evaluate each: --system gpt-4o --system 'llama 3'",
        ),
        ((*SYSTEMS, "--predictions", "bot.csv"), "cannot be combined"),
    ],
)
def test_a_wrong_system_of_a_sheet_is_refused(
    invoke: Invoke, words: tuple[str, ...], message: str
) -> None:
    refusal = invoke(*COMMAND, *words)
    assert refusal.exit_code == 2
    assert message in refusal.output


def test_lines_for_several_systems_work_where_the_gold_is_unclear(invoke: Invoke) -> None:
    Path("bot.csv").write_text(TABLE.format(gold="mixtral").replace("gpt-4o", "phi"))
    refusal = invoke(*COMMAND)
    assert "Copy the line that is right" in refusal.output
    lines = [line for line in commands(refusal.output) if "mixtral=gold" in line]
    assert [invoke(*line).exit_code for line in lines] == [0, 0]
    assert sorted(each.name for each in Path("runs").iterdir()) == ["llama 3", "phi"]


def test_other_commands_are_proposed_without_names(invoke: Invoke) -> None:
    refusal = invoke("doctor", "--cases", "bot.csv", "--databases", "shop.db")
    assert "Copy the line that is right" in refusal.output
    assert all("--name" not in line for line in commands(refusal.output))


def test_a_note_says_how_another_column_of_answers_is_evaluated(invoke: Invoke) -> None:
    options = ("--column", "Reference=gold", "--column", "gpt-4o=prediction")
    done = invoke(*(word for word in COMMAND if word != "--quiet"), *options)
    assert "Answers of other systems are evaluated with the option system 'llama 3'" in done.output
    assert "=difficulty" not in done.output


def test_init_says_which_column_is_likely_what(invoke: Invoke) -> None:
    result = invoke("init")
    assert "prints the command for all systems" in result.output
    text = Path("sqlverdict.toml").read_text()
    assert '#"Reference" = "gold"\n#"gpt-4o" = "prediction"\n#"llama 3" = "prediction"' in text
    assert tomllib.loads(text)["columns"] == {"nr": "id"}
    Path("sqlverdict.toml").write_text(text.replace('#"Reference"', '"Reference"'))
    assert "--system gpt-4o --system 'llama 3'" in invoke("evaluate").output


def test_ids_that_are_numbers_of_rows_are_explained(invoke: Invoke) -> None:
    rows = ["Ticket,gold,prediction", "T1,SELECT 1,SELECT 1", "T2,SELECT 2,SELECT 2"]
    Path("bot.csv").write_text("\n".join(rows) + "\n")
    assert invoke(*COMMAND, "--out", "a").exit_code == 0
    Path("bot.csv").write_text("\n".join([rows[0], *reversed(rows[1:])]) + "\n")
    assert invoke(*COMMAND, "--out", "b").exit_code == 0
    hint = "numbered by row, from 1; the option column Ticket=id reads 'Ticket'"
    assert hint in invoke("show", "a", "T1").output
    checked = invoke("check", "b", "--baseline", "a", "--no-regressions")
    assert checked.exit_code == 2
    assert hint in checked.output


@pytest.fixture
def two_runs(invoke: Invoke) -> None:
    """The runs a and b, with the metric ex."""
    for name, answers in (("a", "gpt-4o"), ("b", "llama 3")):
        columns = ("--column", "Reference=gold", "--column", f"{answers}=prediction")
        assert invoke(*COMMAND, *columns, "--out", name).exit_code == 0


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize(
    "command",
    [
        ("compare", "a", "b", "--metric"),
        ("leaderboard", "a", "b", "--metric"),
        ("table", "a", "b", "--metric"),
        ("table", "a", "--of", "categories", "--metric"),
        ("check", "a", "--baseline", "b", "--no-regressions", "--metric"),
    ],
)
def test_a_metric_that_a_run_lacks_gets_a_hint(invoke: Invoke, command: tuple[str, ...]) -> None:
    misspelt = invoke(*command, "esmm")
    assert misspelt.exit_code == 2
    assert "no metric 'esmm'. Did you mean 'esm'?" in misspelt.output
    lacking = invoke(*command, "esm")
    assert lacking.exit_code == 2
    again = shlex.split(lacking.output.partition("To add it: sqlverdict ")[2])
    assert again[-3:] == ["--metrics", "ex,esm", "--overwrite"]
    assert invoke(*again).exit_code == 0
    assert "esm" in invoke("table", "a", "--metric", "esm").output


@pytest.mark.usefixtures("two_runs")
def test_one_message_has_all_options_that_a_sheet_of_labels_needs(invoke: Invoke) -> None:
    Path("sheet.csv").write_text("Ticket,ann,bob,why\n11,1,1,ok\n12,0,1,\n")
    refusal = invoke("agree", "b", "--labels", "sheet.csv")
    assert refusal.exit_code == 2
    (line,) = commands(refusal.output)
    # The columns of votes are known by their cells.
    assert line[4:] == ["--id-field", "Ticket"]
    agreed = invoke(*line)
    assert agreed.exit_code == 0
    assert "1 labelled case has no majority; left out" in agreed.output
    assert "of the run without" not in agreed.output
    Path("sheet.csv").write_text("Nr,human\n11,1\n12,0\n")
    assert invoke("agree", "b", "--labels", "sheet.csv").exit_code == 0


def test_conditions_of_list_have_a_heading(invoke: Invoke) -> None:
    text = invoke("show", "--help").output
    assert text.index("Cases:") < text.index("--verdict") < text.index("Output:")
    assert text.index("Output:") < text.index("--format")


def test_an_input_that_cannot_be_read_leaves_no_run(invoke: Invoke) -> None:
    rows = ["id,gold,prediction", "1,SELECT 1,SELECT 1", "1,SELECT 2,SELECT 2"]
    Path("bot.csv").write_text("\n".join(rows) + "\n")
    assert invoke(*COMMAND).exit_code == 2
    assert not Path("runs/bot").exists()
    Path("mine").mkdir()
    Path("mine/notes.txt").touch()
    assert invoke(*COMMAND, "--out", "mine").exit_code == 2
    assert [each.name for each in Path("mine").iterdir()] == ["notes.txt"]
    listing = invoke("show", "mine")
    assert listing.exit_code == 2
    assert "resume" not in listing.output


@pytest.mark.usefixtures("two_runs")
def test_votes_that_are_not_there_or_left_out_are_explained(invoke: Invoke) -> None:
    refusal = invoke("label", "a", "--export-votes", "votes.csv")
    assert refusal.exit_code == 2
    assert "nobody voted yet" in refusal.output
    assert "sqlverdict label a --import FILE" in refusal.output
    assert not Path("votes.csv").exists()
    Path("sheet.csv").write_text("id,label\n1,1\n2,0\n")
    imported = invoke("label", "a", "--import", "sheet.csv")
    assert "2 left out: the runs have no case of this id" in imported.output
    assert "which have '11', '12'. Name the field of the id with --id-field" in imported.output
    Path("sheet.csv").write_text("id,label\n11,1\n")
    several = invoke("label", "a", "b", "--import", "sheet.csv")
    assert "1 left out: the runs have several predictions for the case" in several.output


def test_the_next_command_works_with_spaces_in_the_folder(invoke: Invoke) -> None:
    columns = ("--column", "Reference=gold", "--column", "llama 3=prediction")
    done = invoke(*(w for w in COMMAND if w != "--quiet"), *columns, "--name", "llama 3")
    words = shlex.split(done.output.partition("next: sqlverdict ")[2].splitlines()[0])
    assert words == ["show", "runs/llama 3", "11"]
    assert invoke(*words).exit_code == 0
