"""Replies with several complete answers: the last one counts, and each door says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from small_databases import sqlite_file
from sqlverdict.cli.main import sqlverdict
from sqlverdict.integrations.common import PairGrade
from sqlverdict.load.replies.notes import answers_in

ONE, TWO = "SELECT 1", "SELECT 2"
NOTE = "the last one counts"
SEVERAL = f"First:\n```sql\n{ONE}\n```\nBetter:\n```sql\n{TWO}\n```\nDone."


@pytest.mark.parametrize(
    ("reply", "number"),
    [
        (SEVERAL, 2),
        (f"<answer>{ONE}</answer> or <answer>{TWO}</answer>", 2),
        (f"<answer>```sql\n{ONE}\n```\n```sql\n{TWO}\n```</answer>", 2),
        (f"```sql\n{ONE};\n```\nAgain:\n```sql\n{ONE}\n```", 1),
        (f"```sql\n{ONE}\n```\nThe result:\n```\n1 row\n```", 1),
        (f"<think>```sql\n{ONE}\n```</think>```sql\n{TWO}\n```", 1),
        (f"```sql\n{ONE}\n```\nand cut off:\n```sql\n{TWO}", 1),
        (f"{ONE};\n```sql\n{TWO}\n```\n```sql\n{ONE}\n```", 0),
        ("There is no SQL here.", 0),
        (rf"\boxed{{{ONE}}} or better \boxed{{{TWO}}}", 2),
        (rf"\boxed{{{ONE}}} again \boxed{{\text{{{ONE};}}}}", 1),
        (rf"\boxed{{{ONE}}} or \boxed{{{TWO} FR", 1),
        (rf"{ONE};\n\nor \boxed{{{TWO}}} or \boxed{{{ONE}}}", 0),
        (rf"<answer>\boxed{{{ONE}}} or \boxed{{{TWO}}}</answer>", 2),
    ],
)
def test_the_different_complete_answers_of_a_reply_are_counted(reply: str, number: int) -> None:
    assert answers_in(reply) == number


def test_of_several_answers_the_last_counts_in_a_tag_of_the_user() -> None:
    reply = f"<final>{ONE}</final> no: <final>{TWO}</final>"
    assert answers_in(reply, "final") == 2
    assert sv.extract_sql(reply, tag="final") == TWO


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return sqlite_file(tmp_path / "shop.sqlite", "CREATE TABLE item (id INTEGER PRIMARY KEY)")


@pytest.mark.parametrize("inline", [True, False], ids=["in the cases", "in a file"])
def test_evaluate_notes_it_wherever_the_replies_are(
    tmp_path: Path, shop: Path, inline: bool
) -> None:
    cases = [{"id": n, "gold": TWO} | ({"prediction": SEVERAL} if inline else {}) for n in "ab"]
    file, answers = tmp_path / "cases.jsonl", tmp_path / "answers.json"
    file.write_text("\n".join(map(json.dumps, cases)))
    answers.write_text(json.dumps(dict.fromkeys("ab", SEVERAL)))
    words = [
        "evaluate",
        "--cases",
        str(file),
        "--databases",
        str(shop),
        "--out",
        str(tmp_path / "r"),
    ]
    words += [] if inline else ["--predictions", str(answers)]
    done = CliRunner().invoke(sqlverdict, words)
    assert done.exit_code == 0, done.output
    assert f"note: 2 replies have several complete queries (id 'a', 'b'): {NOTE}" in done.output


def test_python_notes_it(shop: Path) -> None:
    run = sv.evaluate([{"id": 1, "gold": TWO, "prediction": SEVERAL}], db=shop)
    assert any(NOTE in note for note in run.manifest.notes)
    result = sv.check(TWO, SEVERAL, db=shop)
    assert (result.sql, result.correct) == (TWO, True)
    assert f"the reply has 2 different complete queries: {NOTE}" in result.explain()


def test_a_scorer_notes_it_of_each_reply_and_not_of_its_query(shop: Path) -> None:
    with sv.Scorer(db=shop) as scorer:
        for reply, notes in ((TWO, 0), (SEVERAL, 1), (f"```sql\n{TWO}\n```", 0)):
            assert len(scorer.check(TWO, reply).notes) == notes


def test_integrations_note_it(shop: Path) -> None:
    grade = PairGrade(sv.check(TWO, SEVERAL, db=shop))
    assert NOTE in str(grade.metadata["notes"])
    assert NOTE in grade.explain()
