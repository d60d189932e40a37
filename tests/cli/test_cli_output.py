"""What ``evaluate`` and ``check`` print: reasons in words, the page last, notes once."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from small_databases import sqlite_file
from sqlverdict.cli.main import sqlverdict

GOLD = "SELECT name FROM item WHERE price > 2"
LUCKY = "SELECT name FROM item WHERE price >= 2"
ROWS = (
    "Nr,Question,Expected,Bot",
    f'1,Which cost more than 2?,"{GOLD}","{LUCKY}"',
    f'2,Which cost more than 2?,"{GOLD}","SELECT nome FROM item"',
)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("bot.csv").write_text("\n".join(ROWS) + "\n")
    table = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL)"
    sqlite_file(tmp_path / "shop.sqlite", table, "INSERT INTO item VALUES (1, 'a', 1), (2, 'b', 3)")
    return tmp_path


def call(*words: str, code: int = 0) -> str:
    done = CliRunner().invoke(sqlverdict, words)
    assert done.exit_code == code, done.output
    return done.output


def evaluate(*words: str, code: int = 0, databases: str = "shop.sqlite") -> str:
    return call("evaluate", "--cases", "bot.csv", "--databases", databases, *words, code=code)


def test_reasons_are_words_with_their_codes_behind_them(data: Path) -> None:
    output = evaluate()
    (line,) = [line for line in output.splitlines() if line.endswith("EXECUTION_ERROR")]
    assert line.startswith("the engine refused it: an unknown column or table")


def test_the_page_is_the_last_line_and_stands_alone(data: Path) -> None:
    lines = evaluate("--out", "runs/x").splitlines()
    assert lines[-2:] == ["", "open runs/x/report.html"]


def test_with_ex_alone_a_line_says_that_matches_were_not_searched(data: Path) -> None:
    (line,) = [line for line in evaluate().splitlines() if line.startswith("not searched:")]
    assert "1 match may be luck" in line
    assert "--metrics ex,verdict" in line
    assert "not searched:" not in evaluate("--metrics", "ex,verdict", "--out", "both")


@pytest.mark.parametrize(("policy", "right"), [("intent", ""), ("strict", "0 ")])
def test_lucky_matches_are_counted_and_the_command_lists_them(
    data: Path, policy: str, right: str
) -> None:
    output = evaluate("--metrics", "ex,verdict", "--policy", policy, "--out", "both")
    (line,) = [line for line in output.splitlines() if " by luck" in line]
    assert line.startswith(f"1 answer matches by luck, {right}counted as right: ")
    assert line.endswith(" sqlverdict show both --lucky")
    assert "by luck" not in evaluate()


def test_the_guess_of_columns_is_said_once(data: Path) -> None:
    guess = "read 'Expected' as gold, 'Bot' as prediction"
    assert evaluate("--out", "runs/x").count(guess) == 1
    assert guess not in evaluate("--out", "runs/x")
    assert guess not in evaluate("--out", "runs/x", "--overwrite")
    assert evaluate("--out", "elsewhere").count(guess) == 1
    Path("bot.csv").write_text("\n".join(ROWS).replace("Expected", "Target") + "\n")
    assert "read 'Target' as gold" in evaluate("--out", "runs/x", "--overwrite")


@pytest.mark.parametrize("name", ["answers.csv", "answers.jsonl"])
def test_the_guess_of_columns_of_predictions_is_said_once(data: Path, name: str) -> None:
    Path("cases.csv").write_text("id,gold\na,SELECT 1\nb,SELECT 2\n", encoding="utf-8")
    texts = {
        "answers.csv": "id,Reply\na,SELECT 1\nb,SELECT 3\n",
        "answers.jsonl": '{"id": "a", "Reply": "SELECT 1"}\n{"id": "b", "Reply": "SELECT 3"}\n',
    }
    Path(name).write_text(texts[name], encoding="utf-8")
    guess = f"note: {name}: read 'Reply' as prediction, as it holds queries"
    words = ("evaluate", "--cases", "cases.csv", "--databases", "shop.sqlite", "--predictions")
    assert call(*words, name, "--out", "runs/x").count(guess) == 1
    assert guess not in call(*words, name, "--out", "runs/x")
    assert guess not in call(*words, name, "--out", "runs/x", "--overwrite")
    assert call(*words, name, "--out", "elsewhere", "--quiet").count(guess) == 1
    again = call(*words, name, "--predictions", f"other={name}", "--out", "both")
    assert again.count(guess) == 2, "each system's file has its guess"
    assert guess not in call(*words, name, "--predictions", f"other={name}", "--out", "both")


def test_quiet_keeps_the_reason_why_nothing_could_be_evaluated(data: Path) -> None:
    url = "postgresql://nobody@127.0.0.1:9/shop"
    output = evaluate("--quiet", code=3, databases=url)
    assert "nothing could be evaluated: 2 of 2 cases unscored" in output
    assert "the database is missing or cannot be read" in output
    assert "PGPASSWORD" in output
    Path("bot.csv").write_text(
        "id,db_id,gold,prediction\n1,nosuch,SELECT 1,SELECT 1\n", encoding="utf-8"
    )
    (data / "databases").mkdir()
    output = evaluate("--quiet", "--out", "other", code=3, databases="databases")
    assert "nosuch" in output


def test_check_names_the_policy_that_decided(data: Path) -> None:
    evaluate("--metrics", "verdict,ex", "--policy", "strict", "--out", "strict")
    output = call("check", "strict", "--min", "verdict=0.1", "--min", "ex=0.5", code=1)
    assert "verdict goes by the policy strict: a match by luck, which a witness" in output
    assert "ex goes by no policy: a match by luck counts as right" in output
    comment = call("check", "strict", "--min", "verdict=0.1", "--format", "github", code=1)
    assert "verdict goes by the policy strict" in comment
    assert '"decided_by"' in call("check", "strict", "--min", "ex=0.1", "--json")
    evaluate("--metrics", "verdict", "--out", "intent")
    assert "the policy intent" in call("check", "intent", "--max", "incorrect=2")


def test_doctor_counts_in_right_grammar(data: Path) -> None:
    for golds, words in (
        (("SELECT nome FROM item",), "1 fails"),
        (("SELECT nome FROM item", "SELECT x FROM item"), "2 fail"),
        (("SELECT name FROM item WHERE id > 9",), "1 returns nothing"),
    ):
        rows = [f"{number},{gold}" for number, gold in enumerate(golds)]
        rows.append("9,SELECT name FROM item")
        Path("golds.csv").write_text("\n".join(["id,gold", *rows]) + "\n")
        done = CliRunner().invoke(
            sqlverdict, ["doctor", "--cases", "golds.csv", "--databases", "shop.sqlite"]
        )
        line = next(line for line in done.output.splitlines() if line.startswith("golds:"))
        assert line.endswith(f"; {words}") or f"; {words}," in line, line


def test_show_prints_the_rows_of_a_witness(data: Path) -> None:
    evaluate("--metrics", "verdict", "--out", "run")
    output = call("show", "run", "1")
    assert "witness     table item: 1 row" in output
    assert "| 2.0" in output
    assert "the gold returns no row" in output


def test_three_layouts_of_labels_need_no_option(data: Path) -> None:
    evaluate("--metrics", "verdict,ex", "--out", "run")
    layouts = {
        "one.csv": "id,verdict by us\n1,1\n2,0\n",
        "wide.csv": "id,ann,bob\n1,1,1\n2,0,0\n",
        "long.csv": "id,who,label\n1,ann,1\n2,ann,0\n1,bob,1\n2,bob,0\n",
    }
    for name, text in layouts.items():
        Path(name).write_text(text)
        output = call("agree", "run", "--labels", name)
        assert "compared with people on 2 labelled cases" in output
        assert "note: 2 labelled cases: too few to rely on" in output
    assert "wide.csv: read 'ann', 'bob' as votes" in call("agree", "run", "--labels", "wide.csv")


def test_no_sql_is_proposed_where_replies_refuse_in_words(data: Path) -> None:
    refusal = "Sorry, the data do not contain that."
    Path("bot.csv").write_text(f'id,gold,prediction\n1,{GOLD},"{refusal}"\n2,,"{refusal}"\n')
    output = evaluate()
    assert output.count("--no-sql abstain counts them as") == 2
    assert "of these in words      2" in output
    assert "1 wrongly abstained" in evaluate("--no-sql", "abstain", "--out", "abstain")
