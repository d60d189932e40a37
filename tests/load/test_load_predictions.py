"""Prediction files: every format, and every way in which a file may not fit its cases."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from parquet_files import write_parquet

from error_parts import refuses_data
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.files.text import is_unicode
from sqlverdict.load.prediction_formats import FORMATS
from sqlverdict.load.predictions import Predictions, load_predictions

IDS = ["0", "1", "2"]
DBS = ["pets", "cars", "pets"]
MARK = "\t----- bird -----\t"


def load(tmp_path: Path, name: str, content: Any, **settings: Any) -> Predictions:
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_text(text, "utf-8", newline="")
    settings.setdefault("db_ids", DBS)
    return load_predictions(path, settings.pop("ids", IDS), **settings)


def sqls(predictions: Predictions) -> list[str | None]:
    return [prediction.sql for prediction in predictions.values()]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
def test_lines(tmp_path: Path, end: str, bom: str, last: bool) -> None:
    text = bom + end.join(["SELECT 0", "SELECT 1", "SELECT\u20282"]) + end * last
    table = load(tmp_path, "p.txt", text)
    assert table.format == "lines"
    assert sqls(table) == ["SELECT 0", "SELECT 1", "SELECT\u20282"]
    assert table.notes == ()


def test_lines_db(tmp_path: Path) -> None:
    table = load(tmp_path, "p.sql", "SELECT 'a\tb'\tpets\nSELECT 1\tcars\nSELECT 2\tpets\n")
    assert table.format == "lines_db"
    assert sqls(table) == ["SELECT 'a\tb'", "SELECT 1", "SELECT 2"]


def test_bird_pairs_by_key_not_by_position(tmp_path: Path) -> None:
    ids = ["0", "1", "2", "10"]
    keys = sorted(ids)
    assert keys != ids
    content = {key: f"SELECT {key}{MARK}pets" for key in keys}
    table = load(tmp_path, "p.json", content, ids=ids, db_ids=["pets"] * 4)
    assert table.format == "bird_json"
    assert {key: table[key].sql for key in table} == {key: f"SELECT {key}" for key in ids}
    assert list(table) == ids


def test_id_map_null_is_an_abstention(tmp_path: Path) -> None:
    table = load(tmp_path, "p.json", {"2": "SELECT 2", "0": None, "1": "null"})
    assert table.format == "id_map"
    assert [table[key].abstained for key in IDS] == [True, True, False]
    assert sqls(table) == [None, None, "SELECT 2"]


RECORDS: list[dict[str, Any]] = [
    {"question_id": 2, "sql": "SELECT 2", "confidence": 0.25, "db_id": "pets"},
    {"id": "0", "prediction": None},
    {
        "id": "1",
        "raw": "Here:\n```sql\nSELECT 1\n```",
        "samples": ["SELECT 1", "```\nSELECT 3\n```"],
    },
]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("p.jsonl", "\n".join(map(json.dumps, RECORDS)), "jsonl"),
        ("p.json", "\n".join(map(json.dumps, RECORDS)), "jsonl"),
        ("p.json", RECORDS, "json_list"),
        ("p.json", json.dumps(RECORDS, indent=2), "json_list"),
    ],
)
def test_records(tmp_path: Path, name: str, content: Any, expected: str) -> None:
    table = load(tmp_path, name, content)
    assert table.format == expected
    assert sqls(table) == [None, "SELECT 1", "SELECT 2"]
    assert table["0"].abstained
    assert table["1"].raw == RECORDS[2]["raw"]
    assert table["1"].samples == ("SELECT 1", "SELECT 3")
    assert table["2"].confidence == 0.25


def test_one_record_is_no_map_of_ids(tmp_path: Path) -> None:
    content = {"id": "x", "sql": "SELECT 1"}
    assert load(tmp_path, "p.json", content, ids=["x"], db_ids=None).format == "jsonl"


def test_list_of_texts(tmp_path: Path) -> None:
    table = load(tmp_path, "p.json", ["SELECT 0", None, "SELECT 2"])
    assert sqls(table) == ["SELECT 0", None, "SELECT 2"]
    assert table["1"].abstained


def test_csv(tmp_path: Path) -> None:
    text = 'id,sql,abstained\n2,"SELECT 2,\n3",\n0,,true\n1,,\n'
    table = load(tmp_path, "p.csv", text)
    assert sqls(table) == [None, None, "SELECT 2,\n3"]
    assert [table[key].abstained for key in IDS] == [True, False, False]


def test_fenced_lines_and_refusals(tmp_path: Path) -> None:
    table = load(tmp_path, "p.txt", "```sql SELECT 0```\nI cannot select that.\nDROP TABLE t\n")
    assert sqls(table) == ["SELECT 0", None, "DROP TABLE t"]
    assert table["0"].raw == "```sql SELECT 0```"
    assert table["1"].raw == "I cannot select that."
    assert not table["1"].abstained
    assert table["2"].raw is None
    assert "1 prediction has text but no SQL (id '1')" in table.notes[0]


def test_the_word_null_in_a_record_is_no_abstention(tmp_path: Path) -> None:
    records = [{"id": key, "sql": "null"} for key in IDS]
    table = load(tmp_path, "p.json", records)
    assert not any(prediction.abstained for prediction in table.values())
    assert any("the word null" in note for note in table.notes)


def test_a_blank_line_with_the_right_count_is_an_empty_prediction(tmp_path: Path) -> None:
    table = load(tmp_path, "p.txt", "SELECT 0\n\nSELECT 2\n")
    assert sqls(table) == ["SELECT 0", None, "SELECT 2"]
    assert not table["1"].abstained
    assert table.notes == ("1 line is blank (line 2): no SQL there",)


FIRST = {"id": 0, "sql": "a"}


def record_lines(*records: dict[str, Any]) -> str:
    return "\n".join(json.dumps(record) for record in records)


@pytest.mark.parametrize(
    ("name", "content", "reason", "message"),
    [
        ("p.txt", "", "empty", "p.txt"),
        ("p.txt", "\n\n\n", "empty", "p.txt"),
        ("p.txt", "SELECT 0\nSELECT 1\n", "mismatch", "found 2 lines"),
        ("p.txt", "SELECT 0\n\nSELECT 1\nSELECT 2\n", "mismatch", r"1 blank lines \(line 2\)"),
        ("p.txt", "SELECT 0\nSELECT 1\nSELECT 2\n\n", "mismatch", r"1 blank lines \(line 4\)"),
        ("p.txt", "\n".join("a a bc"), "mismatch", "Blank: line 2, 4"),
        ("p.txt", b"SELECT 0\nSELECT 1\nSELECT \0\n", "unreadable", "line 3 .* NUL"),
        ("p.txt", "SELECT 0\n".encode("utf-16"), "unreadable", "UTF-16"),
        ("p.txt", "a\tpets\nb\tpets\nc\tpets", "mismatch", "line 2 says 'pets', case '1'"),
        ("p.txt", "a\tpets\nb\nc\tpets", "unreadable", r"1 of 3 lines have no tab \(line 2"),
        ("p.json", "SELECT 0", "unreadable", "broken JSON at column 1"),
        ("p.json", '{"0": "SELECT 0",\n"1" "x"}', "unreadable", "line 2, column 5"),
        ("p.json", '{"0": "SELECT 0", "1": "SEL', "unreadable", "broken JSON at column 24"),
        ("p.json", '["SELECT 0", NaN]', "unreadable", "strict JSON"),
        ("p.json", "[" * 100_000, "unreadable", "nested too deeply"),
        ("p.json", {"0": "a", "1": "b"}, "incomplete", r"1 of 3 cases .* \(id '2'"),
        ("p.json", dict.fromkeys("0123", "a"), "unknown_name", r"1 prediction .* \('3'\)"),
        ("p.json", dict.fromkeys("abc", "SELECT 1"), "incomplete", "No id is known"),
        ("p.json", '{"0": "a", "1": "b", "2": "c", "0": "d"}', "repeated", r"1 key .* \('0'"),
        ("p.json", {"0": 1, "1": "b", "2": "c"}, "wrong_value", "key '0': "),
        ("p.json", {"0": ["a"], "1": "b", "2": "c"}, "conflict", "others one answer .key '1'."),
        ("p.json", dict.fromkeys(IDS, f"a{MARK}pets"), "mismatch", "key '1' says 'pets', case '1'"),
        ("p.json", ["SELECT 0", "SELECT 1"], "mismatch", "list of 2"),
        ("p.json", [{"sql": "a"}], "missing_field", "item 1: .* 'sql'"),
        ("p.json", ["a", 3, "b"], "wrong_kind", "item 1: "),
        ("p.jsonl", '{"id": 0, "sql": "a"}\n{"id": 1, "sql"}', "unreadable", "line 2: broken JSON"),
        ("p.jsonl", record_lines(FIRST, {"id": "0", "sql": "b"}), "repeated", "'0' at .*1 and .*2"),
        ("p.jsonl", record_lines({"id": 0}), "missing_field", "'0' has no prediction"),
        ("p.jsonl", record_lines({**FIRST, "abstained": True}), "conflict", "'0' both abstains"),
        ("p.jsonl", record_lines({"id": 0, "sql": 5}), "wrong_value", "'sql' is 5"),
        ("p.jsonl", record_lines({"id": None, "sql": "a"}), "missing_field", "found no id"),
        ("p.csv", "id,sql\n0,a\n0,b\n", "repeated", "'0' at line 2 and line 3"),
        ("p.csv", "sql\na\n", "unclear", "found no id among"),
    ],
)
def test_bad_file(
    tmp_path: Path, name: str, content: Any, reason: DataReason, message: str
) -> None:
    with refuses_data(PredictionError, reason, match=message) as raised:
        load(tmp_path, name, content)
    assert str(tmp_path / name) in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.txt", b"SELECT 0\nSELECT '\xe9'\nSELECT 2\n"),
        ("p.csv", b"id,sql\n0,SELECT 0\n1,SELECT '\xe9'\n2,SELECT 2\n"),
        ("p.json", b'["SELECT 0", "SELECT \'\\ud800\'", "SELECT 2"]'),
        ("p.json", b'{"0": "SELECT 0", "1": "SELECT \'\\udc00\'", "2": "SELECT 2"}'),
        ("p.json", b'{"0": "SELECT 0", "1": "SELECT \'\xff\'", "2": "SELECT 2"}'),
        (
            "p.jsonl",
            b'{"id": 0, "sql": "SELECT 0"}\n{"id": 1, "raw": "SELECT \'\\ud800\'"}\n'
            b'{"id": 2, "sql": "SELECT 2"}\n',
        ),
    ],
)
def test_text_that_is_no_unicode_spoils_its_own_prediction_alone(
    tmp_path: Path, name: str, content: bytes
) -> None:
    table = load(tmp_path, name, content)
    assert [table[case_id].sql for case_id in ("0", "2")] == ["SELECT 0", "SELECT 2"]
    spoilt = table["1"].sql or table["1"].raw or ""
    assert "SELECT '" in spoilt
    assert not is_unicode(spoilt)
    assert any("(id '1')" in note and "counts as wrong" in note for note in table.notes)


@pytest.mark.parametrize("content", ['{"0": NaN}', '{"0": "\\ud800"', "[1, 2", '{"0": Infinity}'])
def test_what_is_no_json_is_refused_all_the_same(tmp_path: Path, content: str) -> None:
    with refuses_data(PredictionError, "unreadable", "p.json"):
        load(tmp_path, "p.json", content)


def test_keys_that_look_like_positions(tmp_path: Path) -> None:
    content = dict.fromkeys(IDS, f"SELECT 1{MARK}pets")
    with refuses_data(PredictionError, "incomplete", "positions", "'1471'"):
        load(tmp_path, "p.json", content, ids=["1471", "1472", "1473"], db_ids=None)


def test_allow_missing(tmp_path: Path) -> None:
    content = {"0": "SELECT 0", "1": "SELECT 1", "9": "SELECT 9"}
    table = load(tmp_path, "p.json", content, strict_ids=False)
    assert sqls(table) == ["SELECT 0", "SELECT 1", None]
    assert not table["2"].abstained
    assert table["2"].raw is None
    assert table.notes == (
        "1 of 3 cases have no prediction (id '2'): scored as no SQL produced",
        "1 prediction with an unknown id ('9'): left out",
    )
    with refuses_data(PredictionError, "mismatch", "found 2 lines"):
        load(tmp_path, "p.txt", "SELECT 0\nSELECT 1\n", strict_ids=False)


def test_a_forced_format(tmp_path: Path) -> None:
    text = "SELECT *\tFROM\ta\nSELECT *\tFROM\tb\nSELECT *\tFROM\tc\n"
    with refuses_data(PredictionError, "mismatch", "force the format 'lines'"):
        load(tmp_path, "p.txt", text)
    assert sqls(load(tmp_path, "p.txt", text, format="lines"))[0] == "SELECT *\tFROM\ta"
    with pytest.raises(UsageError, match=r"'line'.*'lines'"):
        load(tmp_path, "p.txt", text, format="line")


def test_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 db_ids"):
        load(tmp_path, "p.txt", "a\nb\nc\n", db_ids=["x", "y"])
    with pytest.raises(UsageError, match="not unique"):
        load(tmp_path, "p.json", {"0": "SELECT 1"}, ids=["0", "0"], db_ids=None)


def test_blank_lines_of_jsonl_hold_no_prediction(tmp_path: Path) -> None:
    """They pair nothing, and lines keep their numbers."""
    lines = ["", *(json.dumps({"id": key, "sql": f"SELECT {key}"}) for key in IDS), ""]
    table = load(tmp_path, "p.jsonl", "\n\n".join(lines))
    assert [table[key].sql for key in IDS] == ["SELECT 0", "SELECT 1", "SELECT 2"]
    with refuses_data(PredictionError, "unreadable", "line 3: broken JSON"):
        load(tmp_path, "p.jsonl", '{"id": 0, "sql": "a"}\n\n{"id": 1')
    with refuses_data(PredictionError, "incomplete", "1 of 3 cases", "'1'"):
        load(tmp_path, "p.jsonl", '{"id": 0, "sql": "a"}\n\n{"id": 2, "sql": "a"}')


def write_csv(path: Path, items: dict[str, str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([["id", "sql"], *items.items()])


def dump(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")


WRITERS: dict[str, tuple[str, Callable[[Path, dict[str, str]], object]]] = {
    "lines": ("p.txt", lambda p, i: p.write_bytes("\n".join(i.values()).encode())),
    "lines_db": (
        "p.txt",
        lambda p, i: p.write_bytes("".join(f"{sql}\tdb\n" for sql in i.values()).encode()),
    ),
    "bird_json": (
        "p.json",
        lambda p, i: dump(p, {k: f"{sql}{MARK}db" for k, sql in reversed(i.items())}),
    ),
    "bird_order": (
        "p.json",
        lambda p, i: dump(p, {str(n): f"{sql}{MARK}db" for n, sql in enumerate(i.values())}),
    ),
    "id_map": ("p.json", lambda p, i: dump(p, dict(reversed(i.items())))),
    "json_list": (
        "p.json",
        lambda p, i: dump(p, [{"id": k, "sql": sql} for k, sql in reversed(i.items())]),
    ),
    "jsonl": (
        "p.jsonl",
        lambda p, i: p.write_text(
            "".join(json.dumps({"id": k, "sql": sql}) + "\n" for k, sql in reversed(i.items()))
        ),
    ),
    "csv": ("p.csv", lambda p, i: write_csv(p, dict(reversed(i.items())))),
    "parquet": (
        "p.parquet",
        lambda p, i: write_parquet(p, {"id": list(i), "sql": list(i.values())}),
    ),
}

ONE_LINE = st.text(st.characters(exclude_characters="\n\r\0", exclude_categories=["Cs"]))
MANY_LINES = st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"]))


def test_every_format_is_round_tripped() -> None:
    # A workbook cannot hold every text.
    assert {*WRITERS, "excel"} == set(FORMATS)


@pytest.mark.parametrize("name", list(WRITERS))
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_round_trip_pairs_each_text_with_its_own_id(name: str, data: st.DataObject) -> None:
    values = ONE_LINE if name.startswith("lines") else MANY_LINES
    texts = data.draw(st.lists(values, min_size=1, max_size=6))
    ids = data.draw(
        st.lists(
            st.text(
                st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1
            ),
            min_size=len(texts),
            max_size=len(texts),
            unique=True,
        )
    )
    items = {
        case_id: "SELECT '" + text.replace("'", "''") + "'"
        for case_id, text in zip(ids, texts, strict=True)
    }
    file, write = WRITERS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, file)
        write(path, items)
        predictions = load_predictions(path, ids, db_ids=["db"] * len(ids), format=name)
    assert {case_id: prediction.sql for case_id, prediction in predictions.items()} == items
