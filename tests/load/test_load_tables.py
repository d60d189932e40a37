"""Users' own tables: CSV by any separator, Excel, Parquet; answers inline; one database for all."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from parquet_files import write_parquet

from error_parts import asks_for, needs_extra, options_of, refuses_data
from sqlverdict.errors import (
    BenchmarkError,
    DataError,
    OptionName,
    PredictionError,
    UnclearColumns,
    column_option,
)
from sqlverdict.load.benchmark import BENCHMARKS, Benchmark, PairedCases
from sqlverdict.load.columns.column_map import join_maps
from sqlverdict.load.predictions import load_predictions
from sqlverdict.load.tables import excel
from sqlverdict.load.tables.cases import own_format
from sqlverdict.load.tables.open_table import open_table
from sqlverdict.records import Prediction

GOLD = "SELECT a, b FROM t"


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def sheet(path: Path, *rows: tuple[Any, ...], others: tuple[str, ...] = ()) -> Path:
    # It loads NumPy: only the worker that runs the test needs it.
    import openpyxl

    workbook = openpyxl.Workbook()
    assert workbook.active is not None
    for row in rows:
        workbook.active.append(row)
    for name in others:
        workbook.create_sheet(name)
    workbook.save(path)
    return path


def read(path: Path, **settings: Any) -> Benchmark:
    database = path.parent / "shop.sqlite"
    database.touch()
    return BENCHMARKS.get(own_format(path)).read(path, databases=database, **settings)


def predictions(benchmark: Benchmark) -> dict[str, Prediction]:
    assert isinstance(benchmark.cases, PairedCases)
    return {case.id: prediction for case, prediction in benchmark.cases.pairs()}


@pytest.mark.parametrize(
    ("name", "separator", "word"),
    [
        ("q.csv", ",", ""),
        ("q.csv", ";", "semicolons"),
        ("q.csv", "\t", "tabs"),
        ("q.csv", "|", "bars"),
        ("q.tsv", "\t", ""),
        ("q.tsv", ",", "commas"),
    ],
)
def test_the_separator_is_read_from_the_header_and_named(
    tmp_path: Path, name: str, separator: str, word: str
) -> None:
    rows = [("id", "question", "gold"), ("1", "Which?", f'"{GOLD}"')]
    benchmark = read(write(tmp_path / name, "\n".join(map(separator.join, rows)) + "\n"))
    (case,) = benchmark.cases
    assert (case.id, case.question, case.golds) == ("1", "Which?", (GOLD,))
    assert any("separated by" in note and word in note for note in benchmark.notes) == bool(word)


def test_a_separator_inside_a_quoted_name_does_not_count(tmp_path: Path) -> None:
    file = write(tmp_path / "q.csv", '"id;no";"a,b,c,d";gold\n1;2;SELECT 1\n')
    assert open_table(file, DataError).header == ("id;no", "a,b,c,d", "gold")


def test_the_line_that_excel_writes_about_the_separator_is_understood(tmp_path: Path) -> None:
    file = write(tmp_path / "q.csv", f"sep=;\nid;gold\n1;{GOLD}\n2;x;y\n")
    rows = open_table(file, DataError).rows
    assert next(rows) == ("line 3", {"id": "1", "gold": GOLD})
    with refuses_data(DataError, "unreadable", "line 4 has 3 cells, the header 2"):
        next(rows)


ODD_TAILS = ("", "\r\n", "\r\n\r\n", ";;;\r\n", ";;;\r\n\r\n", " ; ;;\r\n")


@pytest.mark.parametrize("tail", ODD_TAILS, ids=repr)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_export_of_a_spreadsheet_is_read_whatever_its_end(
    tmp_path: Path, encoding: str, tail: str
) -> None:
    text = (
        ";ID;SQL;model_output\r\n"
        f'0;007;"{GOLD}";"```sql\r\n{GOLD}\r\n```\r\nBye; ""é"""\r\n'
        f"1;008;{GOLD};I cannot\r\n{tail}"
    )
    path = tmp_path / "export.csv"
    path.write_bytes(text.encode(encoding))
    benchmark = read(path)
    assert {key: each.sql for key, each in predictions(benchmark).items()} == {
        "007": GOLD,
        "008": None,
    }
    assert "export.csv: column 1 without a name in the header: not read" in benchmark.notes


def test_a_row_without_any_text_is_left_out(tmp_path: Path) -> None:
    rows = f"question;gold;prediction\n\na;{GOLD};{GOLD}\n;;\n ; ;\n\nb;{GOLD};{GOLD}\n"
    assert list(predictions(read(write(tmp_path / "c.csv", rows)))) == ["1", "2"]


def test_the_index_of_a_data_frame_in_a_sheet_is_left_out(tmp_path: Path) -> None:
    path = sheet(tmp_path / "c.xlsx", (None, "id", "gold"), (0, "x", GOLD), (1, "y", GOLD))
    benchmark = read(path)
    assert [case.id for case in benchmark.cases] == ["x", "y"]
    assert "c.xlsx: column 1 without a name in the header: not read" in benchmark.notes


def test_answers_may_stand_beside_the_golds(tmp_path: Path) -> None:
    text = f'ID,Gold SQL,prediction,abstained\n1,"{GOLD}",SELECT 1,\n2,"{GOLD}",,true\n3,,,\n'
    benchmark = read(write(tmp_path / "q.csv", text))
    answers = predictions(benchmark)
    assert answers["1"].sql == "SELECT 1"
    assert answers["2"].abstained
    assert not answers["3"].abstained
    assert answers["3"].sql in (None, "")
    assert not list(benchmark.cases)[2].answerable
    assert "q.csv: read 'ID' as id, 'Gold SQL' as gold" in benchmark.notes


def test_cases_without_id_and_database_get_them(tmp_path: Path) -> None:
    benchmark = read(write(tmp_path / "q.csv", "gold\nSELECT 1\nSELECT 2\n"))
    assert [(case.id, case.db_id) for case in benchmark.cases] == [("1", "shop"), ("2", "shop")]
    assert "q.csv has no id column: the cases are numbered by row, from 1" in benchmark.notes
    assert "q.csv names no database: every case is on shop" in benchmark.notes


@pytest.mark.parametrize("names", [["only.db"], ["only/only.sqlite"], ["a.db", "b.db"], []])
def test_a_folder_with_one_database_serves_cases_that_name_none(
    tmp_path: Path, names: list[str]
) -> None:
    (tmp_path / "empty_folder").mkdir()
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    file = write(tmp_path / "q.csv", "gold\nSELECT 1\n")
    cases = BENCHMARKS.get("csv").read(file, databases=tmp_path).cases
    if len(names) == 1:
        assert [case.db_id for case in cases] == ["only"]
        return
    with refuses_data(BenchmarkError, "missing_field", "line 2: case '1'") as error:
        list(cases)
    assert options_of(error.value) == [
        OptionName("databases", "FILE"),
        column_option("NAME", "db_id"),
    ]


def test_a_missing_gold_names_the_columns_with_sql_and_the_option(tmp_path: Path) -> None:
    file = write(tmp_path / "q.csv", f'nr;a;b\n1;"{GOLD}";```sql SELECT 1```\n')
    with pytest.raises(UnclearColumns) as error:
        read(file)
    assert error.value.choices == (
        (("a", "gold"), ("b", "prediction")),
        (("b", "gold"), ("a", "prediction")),
    )
    mapped = read(file, options={"a": "gold"})
    assert isinstance(mapped.cases, PairedCases)
    assert not mapped.cases.carries_predictions
    assert mapped.cases.no_predictions("none.").choices == ((("b", "prediction"),),)


def test_a_mapped_column_that_is_not_there_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    file = write(tmp_path / "q.csv", "gold,level\nSELECT 1,easy\n")
    with asks_for(column_option("levl", "difficulty")) as refusal:
        read(file, options={"levl": "difficulty"})
    assert "'level'" in str(refusal.value)


def test_the_column_map_reads_both_files(tmp_path: Path) -> None:
    """A name may mean the gold in one file and the answer in the other."""
    columns = {"sql": "gold", "Nr": "id", "Antwort": "sql"}
    cases = list(read(write(tmp_path / "q.csv", f'Nr,sql\n1,"{GOLD}"\n'), options=columns).cases)
    answers = write(tmp_path / "p.csv", "Nr;sql;Antwort\n1;wrong column;SELECT 2\n")
    columns = join_maps(columns, {})
    result = load_predictions(answers, ["1"], columns=columns)
    assert (cases[0].golds, result["1"].sql) == ((GOLD,), "SELECT 2")
    lines = write(tmp_path / "p.jsonl", '{"Nr": 1, "Antwort": "SELECT 3"}\n')
    assert load_predictions(lines, ["1"], columns=columns)["1"].sql == "SELECT 3"
    with refuses_data(PredictionError, "unclear", "found no id among"):
        load_predictions(write(tmp_path / "k.csv", "Key;sql\n1;SELECT 2\n"), ["1"])


def test_excel_cells_are_texts_and_empty_rows_are_left_out(tmp_path: Path) -> None:
    file = sheet(
        tmp_path / "q.xlsx",
        (None, None, None),
        ("id", "gold", "prediction"),
        (1.0, GOLD, "SELECT 1"),
        (None, None, None),
        (2, None, "I cannot say."),
        others=("notes",),
    )
    benchmark = read(file)
    assert [case.id for case in benchmark.cases] == ["1", "2"]
    assert predictions(benchmark)["2"].raw == "I cannot say."
    assert any("'notes'" in note for note in benchmark.notes)
    assert load_predictions(file, ["1", "2"]).format == "excel"
    with refuses_data(BenchmarkError, "unreadable", "row 2", "'gold'"):
        list(read(sheet(tmp_path / "w.xlsx", ("gold",), (GOLD, 7))).cases)


def test_parquet_cells_keep_their_values(tmp_path: Path) -> None:
    file = tmp_path / "q.parquet"
    content = {"id": [1, 2], "gold": [[GOLD, "SELECT 1"], None], "prediction": ["SELECT 1", None]}
    write_parquet(file, content)
    benchmark = read(file)
    assert [case.golds for case in benchmark.cases] == [(GOLD, "SELECT 1"), ()]
    assert predictions(benchmark)["2"].abstained


@pytest.mark.parametrize("name", ["q.xlsx", "q.parquet"])
def test_a_broken_or_foreign_file_is_refused(tmp_path: Path, name: str) -> None:
    with refuses_data(BenchmarkError, "unreadable", name):
        read(write(tmp_path / name, "id,gold\n1,SELECT 1\n"))


@pytest.mark.parametrize(
    ("name", "package"), [("q.xlsx", "openpyxl"), ("q.parquet", "pyarrow.parquet")]
)
def test_without_the_extra_the_message_names_it(
    tmp_path: Path, name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with needs_extra("tables"):
        read(write(tmp_path / name, ""))


def test_a_database_given_as_cases_and_an_old_sheet_are_refused(tmp_path: Path) -> None:
    database = tmp_path / "shop.db"
    database.write_bytes(b"SQLite format 3\0" + bytes(100))
    with asks_for("databases", "cases"):
        own_format(database)
    with refuses_data(DataError, "unsupported", "Save it as .xlsx or .csv"):
        own_format(tmp_path / "q.xls")


def test_own_json_may_be_a_list_and_may_end_in_blank_lines(tmp_path: Path) -> None:
    records = [{"id": f"{n:03}", "gold": GOLD, "prediction": GOLD} for n in (7, 8)]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    for name, text in (
        ("a.json", json.dumps(records, indent=1)),
        ("b.json", f"\ufeff{json.dumps(records)}\n"),
        ("c.jsonl", f"{lines}\n \n"),
        ("d.json", lines),
    ):
        benchmark = read(write(tmp_path / name, text))
        assert list(predictions(benchmark)) == ["007", "008"]
        assert benchmark.count == 2
    twice = write(tmp_path / "e.json", json.dumps([*records, records[0]]))
    with refuses_data(BenchmarkError, "repeated", "'007'", "item 1", "item 3"):
        predictions(read(twice))
    with refuses_data(BenchmarkError, "wrong_kind", "item 2: found int"):
        predictions(read(write(tmp_path / "f.json", json.dumps([records[0], 3]))))


def test_a_table_under_another_ending_is_read_as_one(tmp_path: Path) -> None:
    path = write(tmp_path / "answers.txt", f"id;gold;prediction\n1;{GOLD};{GOLD}\n")
    assert own_format(path) == "csv"
    assert list(predictions(read(path))) == ["1"]
    assert own_format(write(tmp_path / "lines.txt", '{"id": 1}\n')) == "jsonl"
    assert own_format(write(tmp_path / "broken.json", "id;gold\n")) == "jsonl"


def test_a_lone_prediction_is_not_offered_as_the_gold(tmp_path: Path) -> None:
    path = write(tmp_path / "c.csv", f"id,model_output\n1,{GOLD!r}\n".replace("'", '"'))
    with pytest.raises(UnclearColumns) as error:
        read(path)
    assert error.value.choices == ((("NAME", "gold"),),)


def test_a_workbook_that_is_damaged_in_the_middle_is_refused(tmp_path: Path) -> None:
    from openpyxl import Workbook

    workbook = Workbook()
    for number in range(50):
        workbook.active.append([number or "id", "SELECT 1" if number else "gold"])
    workbook.save(tmp_path / "whole.xlsx")
    sheet = "xl/worksheets/sheet1.xml"
    for name, old, new in (("cut", b"</row>", b"</cut>"), ("odd", b"<v>", b"<v>x")):
        with (
            ZipFile(tmp_path / "whole.xlsx") as whole,
            ZipFile(tmp_path / f"{name}.xlsx", "w") as broken,
        ):
            for part in whole.namelist():
                content = whole.read(part)
                if part == sheet:
                    half = len(content) // 2
                    content = content[:half] + content[half:].replace(old, new, 1)
                broken.writestr(part, content)
        with refuses_data(BenchmarkError, "unreadable", "an Excel file"):
            list(open_table(tmp_path / f"{name}.xlsx", BenchmarkError).rows)


def test_a_cell_at_the_edge_of_a_sheet_does_not_make_reading_endless(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from openpyxl import Workbook

    monkeypatch.setattr(excel, "_MOST_EMPTY", 1_000)
    workbook = Workbook()
    workbook.active.append(["id", "gold"])
    workbook.active["ZZ50"] = "far away"
    workbook.save(tmp_path / "far.xlsx")
    with refuses_data(BenchmarkError, "unreadable", "more than 1,000 empty cells"):
        list(open_table(tmp_path / "far.xlsx", BenchmarkError).rows)
    monkeypatch.setattr(excel, "_LARGEST", 100)
    with refuses_data(BenchmarkError, "unreadable", "unpacked it has"):
        list(open_table(tmp_path / "far.xlsx", BenchmarkError).rows)


def test_values_that_python_has_no_type_for_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    offsets, text = pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")
    columns = {
        "text": pa.Array.from_buffers(pa.string(), 1, [None, offsets, text]),
        "zone": pa.array([1], pa.timestamp("us", "Mars/Phobos")),
        "twice": pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]),
        "far": pa.array([2**62], pa.timestamp("us")),
    }
    for name, column in columns.items():
        path = tmp_path / f"{name}.parquet"
        parquet.write_table(pa.table({"id": ["1"], name: column}), path)
        with refuses_data(BenchmarkError, "unreadable", f"{name}.parquet"):
            list(open_table(path, BenchmarkError).rows)


@pytest.mark.parametrize("name", ["gold.txt", "gold.tsv", "gold.csv", "gold.sql", "gold"])
@pytest.mark.parametrize(
    "query",
    ["SELECT 1", "select*from t", "VALUES (1)", "/* a\tb */ SELECT 1", "(SELECT 1)", "WITH a AS x"],
)
def test_a_file_of_queries_and_databases_is_a_gold_file(
    tmp_path: Path, name: str, query: str
) -> None:
    (tmp_path / name).write_text(f"{query}\tshop\nSELECT 2\tshop\n")
    assert own_format(tmp_path / name) == "goldfile"


@pytest.mark.parametrize(
    "header", ["select,gold", "Select\tdb_id", "with | gold", "gold\tquestion"]
)
def test_a_table_with_a_header_is_no_gold_file(tmp_path: Path, header: str) -> None:
    (tmp_path / "cases.csv").write_text(f"{header}\nSELECT 1\tshop\n")
    assert own_format(tmp_path / "cases.csv") == "csv"


def test_text_of_windows_is_refused_with_its_word_and_a_command(tmp_path: Path) -> None:
    """Another code page makes other letters of the same bytes: a person has to look."""
    path = tmp_path / "q.csv"
    path.write_bytes("id;gold\n1;SELECT 'Köln, Süd'\n".encode("cp1252"))
    with refuses_data(BenchmarkError, "unreadable", "line 2, byte 12") as raised:
        read(path)
    assert "If 'Köln' is what stands there, it is in Windows-1252: iconv -f" in str(raised.value)
    # No letter of Windows-1252 has this byte.
    path.write_bytes(b"id;gold\n1;SELECT '\x81'\n")
    with refuses_data(BenchmarkError, "unreadable", "line 2, byte 11", "not UTF-8") as raised:
        read(path)
    assert "iconv" not in str(raised.value)
