"""A user's own table from the command line, and the project file that saves the typing."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result

from sqlverdict.cli.options.run import EvaluateArgs, run_options
from sqlverdict.runlog.run import read_run

Invoke = Callable[..., Result]

TABLE = """Nr;Frage;Soll;Ist
1;How many?;SELECT count(*) FROM item;SELECT count(name) FROM item
2;Which, and how much?;SELECT name, price FROM item;"SELECT price, name FROM item"
3;What is the weather?;;I cannot answer this from the database.
4;The dearest?;SELECT max(price) FROM item;SELECT min(price) FROM item
"""


@pytest.fixture(autouse=True)
def folder(invoke: Invoke) -> Path:
    """The current folder, with a table of questions and one database."""
    Path("bot.csv").write_text(TABLE)
    with closing(sqlite3.connect("shop.db")) as database:
        database.executescript(
            "CREATE TABLE item (name TEXT, price REAL);"
            "INSERT INTO item VALUES ('pen', 1.5), ('pad', 2.5);"
        )
    return Path.cwd()


def test_one_command_reaches_a_score_and_says_which_column_is_which(invoke: Invoke) -> None:
    done = invoke("evaluate", "--cases", "bot.csv", "--databases", "shop.db")
    assert done.exit_code == 0
    assert "note: bot.csv: read 'Soll' as gold, 'Ist' as prediction" in done.stderr
    assert done.output.count("read 'Soll' as gold") == 1
    assert "ex      50.0%  15.0 to 85.0  4      2      2" in done.output
    assert "the columns are separated by semicolons" in done.output
    assert "--no-sql abstain counts them as right abstentions" in done.output


def test_where_names_do_not_tell_the_message_has_commands_to_copy(invoke: Invoke) -> None:
    Path("bot.csv").write_text(TABLE.replace("Soll;Ist", "Abfrage A;Abfrage B"))
    command = ("evaluate", "--cases", "bot.csv", "--databases", "shop.db", "--quiet")
    refusal = invoke(*command)
    assert refusal.exit_code == 2
    lines = [shlex.split(line) for line in refusal.output.splitlines() if line.startswith("  ")]
    columns = [
        ("Abfrage A=gold", "Abfrage B=prediction"),
        ("Abfrage B=gold", "Abfrage A=prediction"),
    ]
    assert lines == [
        ["sqlverdict", *command, "--column", gold, "--column", prediction]
        for gold, prediction in columns
    ]
    assert "2 of 4 right by ex" in invoke(*lines[0][1:]).output
    assert invoke("doctor", *command[1:-1]).exit_code == 2


def test_init_writes_no_guess_where_names_do_not_tell(invoke: Invoke) -> None:
    Path("bot.csv").write_text(TABLE.replace("Soll;Ist", "a;b"))
    result = invoke("init")
    assert "columns with SQL whose names do not say what they are: 'a', 'b'" in result.output
    assert tomllib.loads(Path("sqlverdict.toml").read_text())["columns"] == {
        "Frage": "question",
        "Nr": "id",
    }


def test_doctor_examines_answers_in_a_column_that_was_guessed(invoke: Invoke) -> None:
    Path("bot.csv").write_text(TABLE.replace("Nr;", "id;"))
    done = invoke("doctor", "--cases", "bot.csv", "--databases", "shop.db")
    assert "read 'Soll' as gold, 'Ist' as prediction" in done.stderr
    assert "golds: 3 of 3 answered" in done.output
    assert "case 3" in done.output


def test_doctor_examines_answers_in_a_table_without_ids(invoke: Invoke) -> None:
    rows = ["SELECT 1,SELECT 2", "SELECT 3,", "SELECT 4,SELECT FROM item"]
    Path("bot.csv").write_text("\n".join(["gold,prediction", *rows]))
    command = ("doctor", "--cases", "bot.csv", "--databases", "shop.db")
    done = invoke(*command)
    assert "not examined" not in done.output
    assert "case 2" in done.output
    assert "case 3" in done.output
    report = json.loads(invoke(*command, "--json").output)
    assert report["figures"]["predictions"] == 3
    assert (
        json.loads(invoke(*command, "--limit", "1", "--json").output)["figures"]["predictions"] == 1
    )


@pytest.mark.parametrize("header", ["id,gold,prediction", "number,gold,prediction"])
def test_doctor_lists_the_digest_of_a_file_once(invoke: Invoke, header: str) -> None:
    Path("bot.csv").write_text(f"{header}\n1,SELECT 1,SELECT 2\n")
    done = invoke("doctor", "--cases", "bot.csv", "--databases", "shop.db")
    assert done.output.count("bot.csv: sha256") == 1


def test_a_file_without_its_option_gets_a_hint(invoke: Invoke) -> None:
    refusal = invoke("evaluate", "bot.csv")
    assert "Give the file of your questions with --cases" in refusal.output


def test_init_writes_a_file_that_evaluate_reads(invoke: Invoke) -> None:
    result = invoke("init")
    assert result.exit_code == 0, result.output
    content = tomllib.loads(Path("sqlverdict.toml").read_text())
    columns = {"Soll": "gold", "Ist": "prediction", "Frage": "question", "Nr": "id"}
    assert content == {"cases": "bot.csv", "databases": "shop.db", "columns": columns}
    done = invoke("evaluate", "--quiet")
    assert done.exit_code == 0, done.output
    assert "2 of 4 right by ex" in done.output
    assert "options from sqlverdict.toml: cases, databases, columns" in done.output
    report = Path("runs/bot/report.md").read_text()
    assert "--cases bot.csv --databases shop.db --column Soll=gold" in report
    assert invoke("init").exit_code == 2


def next_command(printed: str) -> list[str]:
    """The words of the command that is printed last, without the program."""
    last = printed.splitlines()[-1]
    assert last.startswith("next: sqlverdict ")
    return shlex.split(last)[2:]


@pytest.mark.parametrize("header", ["id,sql", "qid,Answer", "id,query"])
@pytest.mark.parametrize("out", ["sqlverdict.toml", "my project.toml"])
def test_what_init_prints_works_with_questions_and_answers_in_two_files(
    invoke: Invoke, header: str, out: str
) -> None:
    Path("bot.csv").write_text("id,question,query\n1,How many?,SELECT count(*) FROM item\n")
    Path("answers.csv").write_text(f"{header}\n1,SELECT count(name) FROM item\n")
    Path("notes.csv").write_text("id,note\n1,nothing to see\n")
    result = invoke("init", "--out", out)
    content = tomllib.loads(Path(out).read_text())
    assert (content["cases"], content["predictions"]) == ("bot.csv", ["answers.csv"])
    done = invoke(*next_command(result.output))
    assert done.exit_code == 0, done.output
    assert "answers on bot.csv" in done.output


def test_init_writes_nothing_where_the_questions_may_be_in_several_files(invoke: Invoke) -> None:
    Path("other.csv").write_text(TABLE)
    refusal = invoke("init")
    assert refusal.exit_code == 2
    assert not Path("sqlverdict.toml").exists()
    lines = [shlex.split(line) for line in refusal.output.splitlines() if line.startswith("  ")]
    assert [line[-1] for line in lines] == ["bot.csv", "other.csv"]
    result = invoke(*lines[1][1:])
    assert invoke(*next_command(result.output)).exit_code == 0


def test_init_writes_nothing_where_the_database_may_be_several_files(invoke: Invoke) -> None:
    Path("old.db").write_bytes(Path("shop.db").read_bytes())
    refusal = invoke("init", "--cases", "bot.csv")
    assert refusal.exit_code == 2
    last = shlex.split(refusal.output.splitlines()[-1])
    assert last == ["sqlverdict", "init", "--cases", "bot.csv", "--databases", "shop.db"]
    assert invoke(*next_command(invoke(*last[1:]).output)).exit_code == 0


def test_databases_that_the_cases_name_need_no_choice(invoke: Invoke) -> None:
    Path("old.db").write_bytes(Path("shop.db").read_bytes())
    Path("bot.csv").write_text("id,db_id,gold,prediction\n1,shop,SELECT 1,SELECT 1\n")
    result = invoke("init")
    assert invoke(*next_command(result.output)).exit_code == 0


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        (
            "id,question,gold\n1,How many?,SELECT 1\n",
            "next: sqlverdict evaluate --predictions FILE",
        ),
        (TABLE.replace("Soll;Ist", "a;b"), "next: say in sqlverdict.toml, under [columns]"),
        ("id,gold,gold_sql\n1,SELECT 1,SELECT 2\n", "next: correct it; then sqlverdict evaluate"),
    ],
)
def test_init_says_what_is_missing(invoke: Invoke, table: str, advice: str) -> None:
    Path("bot.csv").write_text(table)
    assert advice in invoke("init").output


def test_init_refuses_a_file_that_is_not_there(invoke: Invoke) -> None:
    for option in (("--cases", "bots.csv"), ("--databases", "shops.db"), ("--databases", "no/")):
        assert invoke("init", *option).exit_code == 2
        assert not Path("sqlverdict.toml").exists()
    assert "no file or folder shops.db. Did you mean 'shop.db'?" in (
        invoke("init", "--databases", "shops.db").output.replace("\n", " ")
    )
    for there in ("shop.db", ".", "postgresql://127.0.0.1/shop"):
        assert invoke("init", "--databases", there, "--overwrite").exit_code == 0


def without_marks(file: Path) -> None:
    """Set all options that a file only shows."""
    file.write_text(re.sub(r"^#(?! )", "", file.read_text(), flags=re.MULTILINE))


def test_each_option_that_init_shows_has_its_real_default(invoke: Invoke, folder: Path) -> None:
    assert invoke("init").exit_code == 0
    before = tomllib.loads((folder / "sqlverdict.toml").read_text())
    without_marks(folder / "sqlverdict.toml")
    after = tomllib.loads((folder / "sqlverdict.toml").read_text())
    usual = run_options(EvaluateArgs(), None)
    assert {key: value for key, value in after.items() if key not in before} == {
        "metrics": usual.metrics,
        "prove": usual.proof is not None,
        "no-sql": usual.no_sql,
        "allow-missing": False,
        "timeout": usual.limits.seconds,
        "max-rows": usual.limits.rows,
        "overwrite": usual.overwrite,
    }
    assert len((folder / "sqlverdict.toml").read_text().splitlines()) <= 20


def test_the_run_stays_the_same_when_every_mark_of_the_file_goes(invoke: Invoke) -> None:
    Path("bot.csv").unlink()
    Path("shop.db").unlink()
    answers = ("".join(f"SELECT {number}\n" for number in range(90))).encode()
    Path("answers.txt").write_bytes(answers)
    command = ("evaluate", "--benchmark", "demo", "--predictions", "answers.txt", "--limit", "6")
    assert invoke(*command, "--out", "plain").exit_code == 0
    assert invoke("init").exit_code == 0
    without_marks(Path("sqlverdict.toml"))
    done = invoke(*command, "--out", "file")
    assert "options from sqlverdict.toml: metrics, prove" in done.stderr
    plain, file = read_run(Path("plain")), read_run(Path("file"))
    assert file.manifest.limits == plain.manifest.limits
    assert file.manifest.metrics == plain.manifest.metrics
    assert file.manifest.stages == plain.manifest.stages
    assert [each.scores for each in file.results()] == [each.scores for each in plain.results()]


def test_the_command_line_comes_first_and_paths_are_relative_to_the_file(
    invoke: Invoke, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = folder / "sqlverdict.toml"
    lines = ["cases = 'bot.csv'", "databases = 'shop.db'", "metrics = ['ex', 'esm']"]
    lines += ["no_sql = 'abstain'", "out = 'runs/here'", "[columns]", "Soll = 'gold'"]
    project.write_text("\n".join([*lines, "Ist = 'prediction'"]))
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")
    done = invoke("evaluate", "--project", str(project), "--metrics", "ex", "--quiet")
    assert done.exit_code == 0, done.output
    run = read_run(folder / "runs" / "here")
    assert list(run.manifest.metrics) == ["ex"]
    assert run.manifest.stages["no_sql"] == "abstain"
    assert run.manifest.inputs["columns"] == "Soll=gold, Ist=prediction"


def test_an_overlay_is_relative_to_the_file(invoke: Invoke, folder: Path) -> None:
    # A file of the same name in the current folder was read instead.
    for directory, gold in ((folder, "SELECT 7"), (folder / "sub", "SELECT min(price) FROM item")):
        directory.mkdir(exist_ok=True)
        line = {"id": "4", "gold": gold}
        (directory / "fix.jsonl").write_text(json.dumps(line) + "\n")
    project = folder / "sub" / "sqlverdict.toml"
    project.write_text(
        "cases = '../bot.csv'\ndatabases = '../shop.db'\ngolds = 'experts=fix.jsonl'\n"
        "out = 'run'\n[columns]\nNr = 'id'\nFrage = 'question'\nSoll = 'gold'\nIst = 'prediction'\n"
    )
    done = invoke("evaluate", "--project", str(project), "--quiet")
    assert done.exit_code == 0, done.output
    results = {result.id: result for result in read_run(folder / "sub" / "run").results()}
    assert results["4"].gold == ("SELECT min(price) FROM item",)


def test_a_source_on_the_command_line_replaces_that_of_the_file(invoke: Invoke) -> None:
    Path("sqlverdict.toml").write_text('cases = "bot.csv"\n[columns]\nSoll = "gold"\n')
    Path("gold.txt").write_text("SELECT count(*) FROM item\tshop\n")
    Path("p.txt").write_text("SELECT 2\n")
    args = ("--cases", "gold.txt", "--databases", "shop.db", "--predictions", "p.txt", "--json")
    done = invoke("evaluate", *args)
    assert json.loads(done.stdout)["exit_code"] == 0


def test_other_commands_take_the_data_from_the_file(invoke: Invoke) -> None:
    lines = 'cases = "bot.csv"\ndatabases = "shop.db"\nmetrics = "esm"\n[columns]\n'
    Path("sqlverdict.toml").write_text(lines + 'Soll = "gold"\nIst = "prediction"\nNr = "id"\n')
    done = invoke("doctor")
    assert "options from sqlverdict.toml: cases, databases, columns" in done.output
    assert "golds: 3 of 3 answered" in done.output
    assert "case 3" in done.output


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("metric = 'ex'", "the key 'metric' is unknown. Did you mean 'metrics'"),
        ("conc = 3", "the key 'conc' is unknown"),
        ("page = 'no'", "page is 'no'. Expected true or false"),
        ("max-rows = 0", "sqlverdict.toml, max-rows: "),
        ("address = 'https://example.org'", "which server gets the tokens"),
        ("max-tokens = 9", "read only from a file that you name"),
        ("[data]\ncases = 'q.csv'", "the section [data] is unknown"),
        ("prove = 'yes'", "prove is 'yes'. Expected true or false"),
        ("cases = true", "cases is True. Expected a value"),
        ("cases = ['a.csv', 'b.csv']", "Expected one path"),
        ("timeout = 'soon'", "sqlverdict.toml, timeout: "),
        ("cases = bot.csv", "is not valid TOML"),
        ("columns = 3", "expected [columns]"),
        ("json = true", "the key 'json' is unknown"),
        ("base-url = 'https://example.org'", "read only from a file that you name"),
        ("databases = 'postgresql://example.org/a'", "read only from a file that you name"),
        ("databases = ['postgresql://example.org/a']", "read only from a file that you name"),
        ("gold-databases = [' mysql://example.org/a']", "read only from a file that you name"),
        ("on = 'ray://example.org:10001'", "It decides which machines get your data"),
        ("trust_role = true", "It decides whether queries run with all rights of your role"),
        ("cache = 'answers.sqlite'", "It decides which answers are believed"),
        ("out = '../elsewhere'", "It decides where outside of its folder something is written"),
        ("out = '/elsewhere'", "It decides where outside of its folder something is written"),
        ("bank = 'link/bank.sqlite'", "It decides where outside of its folder something is"),
        ('cases = "a\\u0000b"', "cases holds a NUL character"),
        (f"limit = {'9' * 5000}", "sqlverdict.toml cannot be read: Exceeds the limit"),
        (
            f"metrics = {'[' * 5000}{']' * 5000}",
            "sqlverdict.toml cannot be read: maximum recursion",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_reason(invoke: Invoke, text: str, message: str) -> None:
    Path("link").symlink_to("/")
    Path("sqlverdict.toml").write_text(text)
    refusal = invoke("evaluate")
    assert refusal.exit_code == 2
    assert message in refusal.output
