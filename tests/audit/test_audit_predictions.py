"""Checks of prediction files: every problem is told, not just the first."""

from __future__ import annotations

import json

import pytest

from sqlverdict.errors import UsageError

GOLDS = ("SELECT name FROM city", "SELECT kind FROM shop", "SELECT count(*) FROM city")
FINE = "SELECT 1\nSELECT 2\nSELECT 3\n"


def pairing(diagnosis):
    return [(f.subject, f.message) for f in diagnosis.of("prediction_pairing")]


def content(diagnosis, severity="warning"):
    return [f.message for f in diagnosis.of("prediction_content") if f.severity == severity]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.txt", FINE),
        ("p.txt", "SELECT 1\tshop\nSELECT 2\tshop\nSELECT 3\tshop\n"),
        ("p.json", '{"2": "SELECT 3", "1": "SELECT 2", "0": "SELECT 1"}'),
        (
            "p.json",
            json.dumps({str(n): f"SELECT {n}\t----- bird -----\tshop" for n in range(3)}),
        ),
        ("p.json", '["SELECT 1", "SELECT 2", "SELECT 3"]'),
        ("p.jsonl", "".join(f'{{"id": {n}, "sql": "SELECT {n}"}}\n' for n in range(3))),
        ("p.csv", "id,sql\n0,SELECT 1\n1,SELECT 2\n2,SELECT 3\n"),
    ],
)
def test_a_file_that_pairs_is_silent(examine, name, text):
    diagnosis = examine(*GOLDS, predictions=text, name=name)
    assert not pairing(diagnosis)
    assert not diagnosis.of("prediction_content")
    assert diagnosis.figures["predictions"] == 3


def test_no_file_no_findings(examine):
    diagnosis = examine(*GOLDS)
    assert not diagnosis.of("prediction_pairing")
    assert "predictions" not in diagnosis.figures


def test_every_id_problem_at_once(examine):
    text = "".join(
        f"{line}\n"
        for line in (
            '{"id": "0", "sql": "SELECT 1"}',
            '{"id": "0", "sql": "SELECT 2"}',
            '{"id": "9", "sql": "SELECT 3"}',
            "",
            '{"id": "1", "sql": 7}',
            '{"sql": "SELECT 4"}',
            "{broken",
        )
    )
    pairs = pairing(examine(*GOLDS, predictions=text, name="p.jsonl"))
    subjects = [subject for subject, _ in pairs]
    # A blank line holds no record.
    assert subjects == [
        "line 5",
        "line 6",
        "line 7",
        "case 0",
        "case 9",
        "case 1",
        "case 2",
    ]
    messages = dict(pairs)
    assert "predicted 2 times, at line 1, line 2" in messages["case 0"]
    assert "belongs to no case" in messages["case 9"]
    assert "no prediction" in messages["case 2"]
    assert "broken JSON" in messages["line 7"]


def test_repeated_keys_of_a_map(examine):
    text = '{"0": "SELECT 1", "1": "SELECT 2", "1": "SELECT 3", "2": 5}'
    pairs = pairing(examine(*GOLDS, predictions=text, name="p.json"))
    assert [subject for subject, _ in pairs] == ["case 1", "key '2'"]


def test_wrong_count_and_blank_lines(examine):
    (result,) = pairing(examine(*GOLDS, predictions="SELECT 1\n\nSELECT 2\nSELECT 3\n"))
    assert "4 lines for 3 cases; 1 are blank ('line 2')" in result[1]


def test_wrong_databases_are_told_line_by_line(examine):
    text = "SELECT 1\tshop\nSELECT 2\tschool\nSELECT 3\tschool\n"
    pairs = pairing(examine(*GOLDS, predictions=text))
    assert [subject for subject, _ in pairs] == ["case 1", "case 2", "preds.txt"]
    assert "'school', the case is on 'shop'" in pairs[0][1]


def test_a_line_without_its_database(examine):
    text = "SELECT 1\tshop\nSELECT 2\nSELECT 3\tshop\n"
    ((where, message),) = pairing(examine(*GOLDS, predictions=text))
    assert where == "line 2"
    assert "no tab" in message


def test_one_odd_byte_does_not_hide_the_rest(examine):
    pairs = pairing(examine(*GOLDS, predictions=b"SELECT '\xe9'\nSELECT 2\n"))
    assert "is not UTF-8" in pairs[0][1]
    assert "2 lines for 3 cases" in pairs[1][1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        ("SELECT 1\n".encode("utf-16"), "UTF-16"),
        (b'{"0": ', "JSON"),
        (b"[1, 2", "JSON"),
    ],
)
def test_a_file_that_cannot_be_read_at_all(examine, data, message):
    pairs = pairing(examine(*GOLDS, predictions=data))
    assert len(pairs) == 1
    assert message in pairs[0][1]


def test_unknown_format_is_a_wrong_call(examine):
    with pytest.raises(UsageError, match="id_map"):
        examine(*GOLDS, predictions=FINE, format="id_mop")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "blank"),
        ("I cannot answer that.", "text without SQL"),
        ("null", "the word 'null'"),
        ("DROP TABLE city", "no query but DROP"),
        ("SELECT 1; SELECT 2", "2 statements"),
    ],
)
def test_predictions_that_are_no_query(examine, text, words):
    predictions = "\n".join(["SELECT 1", text, "SELECT 3"]) + "\n"
    (message,) = content(examine(*GOLDS, predictions=predictions))
    assert message.startswith(f"line 2: {words}")


def test_fences_and_syntax_errors_are_notes(examine):
    record = {"0": "```sql\nSELECT 1\n```", "1": "SELECT name FROM", "2": "SELECT 3;"}
    diagnosis = examine(*GOLDS, predictions=json.dumps(record), name="p.json")
    assert not content(diagnosis)
    syntax, fenced = content(diagnosis, "info")
    assert "a syntax error" in syntax
    assert fenced.startswith("1 query is inside a longer reply, 1 fenced")


def test_abstentions_are_counted_and_no_problem(examine):
    text = '{"0": null, "1": "SELECT 2", "2": null}'
    diagnosis = examine(*GOLDS, predictions=text, name="p.json")
    assert not content(diagnosis)
    assert diagnosis.figures["abstentions"] == 2
    assert "2 of 3 predictions abstain, 0 of them" in content(diagnosis, "info")[0]
