"""Replies without SQL: a refusal in words has its own reason, and may count as an abstention."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from sqlverdict import Options, evaluate
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import UsageError
from sqlverdict.load.replies.no_sql import is_refusal
from sqlverdict.records import Case, Prediction, Reason, Verdict
from sqlverdict.report.one_run.first_sentence import first_sentence
from sqlverdict.report.one_run.sections import (
    IN_WORDS,
    reason_table,
    refusal_sentences,
    verdict_table,
)
from sqlverdict.report.terminal.console import Screen

REFUSAL = "I cannot answer this question from the database."
ANSWER = "There are five of them."


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT)")
        connection.execute("INSERT INTO item VALUES (1, 'a'), (2, 'b')")
    connection.close()
    return path


def cases(shop: Path) -> list[Case]:
    return [
        Case("yes", "shop", "How many?", ("SELECT count(*) FROM item",), str(shop)),
        Case("no", "shop", "What is love?", (), str(shop), answerable=False),
    ]


def outcomes(
    shop: Path, reply: str, no_sql: str = "wrong"
) -> list[tuple[Verdict, tuple[str, ...]]]:
    options = Options(workers=0, cache=None, no_sql=no_sql)
    run = evaluate(cases(shop), {"yes": reply, "no": reply}, options=options)
    return [(result.verdict, tuple(result.reasons)) for result in run.results()]


@pytest.mark.parametrize(
    "text",
    [
        REFUSAL,
        "I'm sorry, but I can\u2019t write this query.",
        "The database does not contain information about love.",
        "There is no such column in the schema.",
        "Unfortunately this is not possible with the given tables.",
        "Unable to answer.",
        "There are no customers in this database.",
    ],
)
def test_refusals_are_known(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize("text", [ANSWER, "", "42", "The customers from Berlin: Ann, Bob."])
def test_other_words_are_no_refusal(text: str) -> None:
    assert not is_refusal(text)


def test_thoughts_are_no_part_of_a_reply() -> None:
    """A refusal behind long thoughts was none, and a doubt in the thoughts was one."""
    assert is_refusal("<think>" + "hm. " * 2_000 + "</think>I cannot answer this question.")
    assert not is_refusal("<think>I cannot see it yet.</think>It depends.")


def test_a_refusal_in_words_is_not_sql(shop: Path) -> None:
    assert outcomes(shop, REFUSAL) == [
        (Verdict.INCORRECT, (Reason.REFUSED_IN_WORDS,)),
        (Verdict.INCORRECT, (Reason.REFUSED_IN_WORDS,)),
    ]
    assert outcomes(shop, ANSWER) == [
        (Verdict.INCORRECT, (Reason.NO_SQL_PRODUCED,)),
        (Verdict.INCORRECT, (Reason.NO_SQL_PRODUCED,)),
    ]
    assert outcomes(shop, "SELECT 1")[1] == (Verdict.INCORRECT, (Reason.ANSWERED_UNANSWERABLE,))


@pytest.mark.parametrize("reply", [REFUSAL, ANSWER])
def test_plain_text_may_count_as_an_abstention(shop: Path, reply: str) -> None:
    assert outcomes(shop, reply, "abstain") == [
        (Verdict.ABSTAINED_WRONG, ()),
        (Verdict.ABSTAINED_RIGHT, ()),
    ]
    assert [verdict for verdict, _ in outcomes(shop, " ", "abstain")] == [Verdict.INCORRECT] * 2


def test_an_unknown_treatment_is_refused(shop: Path) -> None:
    with pytest.raises(UsageError, match="no_sql is 'harm'"):
        outcomes(shop, REFUSAL, "harm")


def test_the_treatment_is_part_of_the_run(shop: Path) -> None:
    predictions = {"yes": REFUSAL, "no": REFUSAL}
    runs = [
        evaluate(cases(shop), predictions, options=Options(workers=0, cache=None, no_sql=no_sql))
        for no_sql in ("wrong", "abstain")
    ]
    assert runs[1].manifest.stages["no_sql"] == "abstain"
    assert runs[0].manifest.fingerprint != runs[1].manifest.fingerprint


def test_replies_are_read_in_python_as_on_the_command_line(shop: Path) -> None:
    fenced = "Here it is:\n```sql\nSELECT count(*) FROM item\n```"
    for reply in (fenced, Prediction("yes", raw=fenced)):
        options = Options(workers=0, cache=None)
        (result,) = evaluate(cases(shop)[:1], {"yes": reply}, options=options).results()
        assert result.verdict is Verdict.CORRECT


def test_reliability_agrees_with_evaluate(shop: Path, tmp_path: Path) -> None:
    file = tmp_path / "cases.jsonl"
    lines = [
        {"id": "yes", "db_id": "shop", "question": "?", "gold": "SELECT count(*) FROM item"},
        {"id": "no", "db_id": "shop", "question": "?", "gold": None, "answerable": False},
    ]
    file.write_text("\n".join(json.dumps(line | {"raw": REFUSAL}) for line in lines))

    def command(*words: str) -> str:
        done = CliRunner().invoke(sqlverdict, list(words))
        assert done.exception is None or isinstance(done.exception, SystemExit), done.output
        return done.output

    shared = ("--cases", str(file), "--databases", str(shop), "--quiet", "--workers", "0")
    tables = []
    for no_sql, treatment in (("wrong", "abstain"), ("abstain", "harm")):
        out = str(tmp_path / no_sql)
        command("evaluate", *shared, "--out", out, "--no-sql", no_sql)
        words = ("--as-abstention", "no-sql") if treatment == "abstain" else ()
        text = command("reliability", out, *words, "--json")
        report = json.loads(text)
        assert report.pop("policy")["no_sql"] == treatment
        report.pop("mishaps")
        tables.append(report)
    assert tables[0] == tables[1]


def test_a_note_says_what_refusals_count_as_by_kind_of_question(shop: Path) -> None:
    for replies, words in (
        (
            (REFUSAL, "SELECT 1"),
            ["1 reply abstains in words where the question has an answer; counted as wrong"],
        ),
        (
            ("SELECT 1", REFUSAL),
            ["1 reply abstains in words where the question has no answer, which is right"],
        ),
        ((REFUSAL, REFUSAL), ["1 reply abstains in words", "1 reply abstains in words"]),
        ((ANSWER, ANSWER), []),
    ):
        predictions = dict(zip(("yes", "no"), replies, strict=True))
        run = evaluate(cases(shop), predictions, options=Options(workers=0, cache=None))
        sentences = refusal_sentences(run)
        assert len(sentences) == len(words)
        assert all(map(str.startswith, sentences, words))
        assert all("no_sql=abstain" in sentence for sentence in sentences)
        assert run.estimate("ex").scored == 2, "a question without an answer counts, too"


def test_an_empty_reply_is_wrong_whatever_text_counts_as(shop: Path) -> None:
    case = Case("1", "shop", "How many?", ("SELECT count(*) FROM item",), str(shop))
    for treatment, sentences in (("wrong", 0), ("abstain", 1)):
        run = evaluate([case], {"1": Prediction("1", "")}, options=Options(no_sql=treatment))
        (result,) = run.results()
        assert result.verdict is Verdict.INCORRECT
        assert len(refusal_sentences(run)) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "Das kann ich mit diesen Daten nicht beantworten.",
        "Leider enthält die Datenbank dazu nichts.",
        "Dazu gibt es keine Spalte.",
        "Désolé, je ne peux pas répondre.",
        "Lo siento, no puedo responder a esa pregunta.",
    ],
)
def test_refusals_in_other_languages_are_known(text: str) -> None:
    assert is_refusal(text)


def test_a_refusal_in_words_is_an_abstention_in_the_words_of_reports(shop: Path) -> None:
    predictions = {"yes": "SELECT 2", "no": REFUSAL}
    run = evaluate(cases(shop), predictions, options=Options(workers=0, cache=None))
    lines = verdict_table(run)
    (row,) = [row for row in lines.rows if row[0] == IN_WORDS]
    assert row[1:] == ("1", "50.0%", "abstained in words, counted as wrong")
    assert lines.styles[IN_WORDS] == lines.styles["abstained_right"] == "abstained"
    assert lines.styles["abstained_right"] not in (
        lines.styles["correct"],
        lines.styles["incorrect"],
    )
    no = next(result for result in run.results() if result.id == "no")
    assert first_sentence(no) == (
        "The system abstained in words, and the question has no answer; it counts as wrong."
    )
    assert "an abstention in words" in str(reason_table(run.summary).rows)


def test_a_terminal_shows_abstentions_in_a_colour_of_their_own(shop: Path) -> None:
    predictions = {"yes": "SELECT 2", "no": REFUSAL}
    run = evaluate(cases(shop), predictions, options=Options(workers=0, cache=None))
    stream = StringIO()
    with_colour = Screen(stream, colour=True)
    with_colour._console = Console(file=stream, force_terminal=True, color_system="standard")
    with_colour.table(verdict_table(run))
    lines = {line.strip(): line for line in stream.getvalue().splitlines()}
    colours = {
        name: next(line.split(name)[0] for line in lines.values() if name in line)
        for name in ("correct", "incorrect", IN_WORDS)
    }
    assert len({*colours.values()}) == 3, colours
