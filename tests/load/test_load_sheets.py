"""Workbooks with several sheets, titles and covers: the sheet that has the columns is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import sqlverdict as sv
from error_parts import refuses_data
from small_databases import sqlite_file
from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import DataError, UsageError
from sqlverdict.load.benchmark import PairedCases
from sqlverdict.load.overlays import read_overlay
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.predictions import load_predictions
from sqlverdict.load.tables.cases import read_own_file
from sqlverdict.load.tables.excel import sheet_names
from sqlverdict.load.tables.table import joined_names

GOLD = "SELECT count(*) FROM item"
COVER = (("Eval of the bot",), (), (None, "November"))
CASES = (("Nr", "Question", "Gold SQL", "Bot", "Level"), (7, "How many?", GOLD, GOLD, "easy"))
Sheet = tuple[tuple[Any, ...], ...]


def workbook(path: Path, sheets: dict[str, Sheet], hidden: tuple[str, ...] = ()) -> Path:
    # It loads NumPy: only the worker that runs the test needs it.
    import openpyxl

    workbook = openpyxl.Workbook()
    assert workbook.active is not None
    workbook.remove(workbook.active)
    for name, rows in sheets.items():
        own = workbook.create_sheet(name)
        for row in rows:
            own.append(row)
        own.sheet_state = "hidden" if name in hidden else "visible"
    workbook.save(path)
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return sqlite_file(tmp_path / "shop.sqlite", "CREATE TABLE item (id INTEGER PRIMARY KEY)")


def evaluate(*words: object) -> str:
    done = CliRunner().invoke(sqlverdict, ["evaluate", *map(str, words)])
    return f"{done.exit_code}\n{done.output}"


def test_a_cover_sheet_is_passed_over_and_the_sheet_is_named(tmp_path: Path, shop: Path) -> None:
    file = workbook(tmp_path / "q.xlsx", {"Cover": COVER, "Questions": CASES, "Notes": (("x",),)})
    benchmark = read_own_file(file, shop, {})
    (case,) = benchmark.cases
    assert (case.id, case.question, case.difficulty) == ("7", "How many?", "easy")
    assert any(
        "q.xlsx: read the sheet 'Questions'; not 'Cover', 'Notes'" in note
        for note in benchmark.notes
    )
    output = evaluate("--cases", file, "--databases", shop, "--out", tmp_path / "run")
    assert output.startswith("0\n"), output
    assert "read the sheet 'Questions'" in output


def test_of_several_sheets_that_fit_the_first_is_read_and_the_others_are_named(
    tmp_path: Path, shop: Path
) -> None:
    later = (CASES[0], (8, "Which?", GOLD, GOLD, "hard"))
    sheets = {"Cover": COVER, "One": CASES, "Two": later, "Old": later}
    file = workbook(tmp_path / "q.xlsx", sheets, hidden=("Old",))
    benchmark = read_own_file(file, shop, {})
    assert [case.id for case in benchmark.cases] == ["7"]
    assert any("'Two', 'Old' fit, too" in note for note in benchmark.notes)
    assert [case.id for case in read_own_file(file, shop, {}, "Two").cases] == ["8"]
    hidden_first = workbook(tmp_path / "h.xlsx", {"Old": later, "One": CASES}, hidden=("Old",))
    assert [case.id for case in read_own_file(hidden_first, shop, {}).cases] == ["7"]


def test_the_option_names_the_sheet_and_an_unknown_one_is_an_error(
    tmp_path: Path, shop: Path
) -> None:
    later = (CASES[0], (8, "Which?", GOLD, "SELECT 1", "hard"))
    file = workbook(tmp_path / "q.xlsx", {"One": CASES, "Two": later})
    words = ("--cases", file, "--databases", shop, "--out", tmp_path / "run")
    assert "0 of 1 right" in evaluate(*words, "--sheet", "Two")
    # The same file, another sheet: another run.
    assert evaluate(*words, "--sheet", "One").startswith("2\n")
    output = evaluate(*words, "--sheet", "Tow")
    assert output.startswith("2\n")
    assert "no Excel file here has a sheet 'Tow'" in output
    assert "q.xlsx has 'One', 'Two'" in " ".join(output.split())
    csv = tmp_path / "q.csv"
    csv.write_text(f"id,gold,prediction\n1,{GOLD},{GOLD}\n")
    output = evaluate("--cases", csv, "--databases", shop, "--sheet", "One")
    assert output.startswith("2\n")
    assert "There is none: leave it out" in output


def test_the_sheet_of_predictions_is_found_too(tmp_path: Path, shop: Path) -> None:
    answers = (("Nr", "Output"), (7, GOLD))
    sheets = {"Cover": COVER, "Questions": (CASES[0][:3], CASES[1][:3]), "Bot A": answers}
    file = workbook(tmp_path / "q.xlsx", {**sheets, "Bot B": (answers[0], (7, "SELECT 5"))})
    loaded = load_predictions(file, ["7"])
    assert loaded["7"].sql == GOLD
    assert any("read the sheet 'Bot A'; 'Bot B' fits, too" in note for note in loaded.notes)
    words = ("--cases", file, "--databases", shop, "--predictions", file)
    assert "1 of 1 right" in evaluate(*words, "--out", tmp_path / "a")
    assert "0 of 1 right" in evaluate(*words, "--out", tmp_path / "b", "--sheet", "Bot B")


def test_python_takes_a_sheet(tmp_path: Path, shop: Path) -> None:
    later = (CASES[0], (8, "Which?", GOLD, "SELECT 1", "hard"))
    file = workbook(tmp_path / "q.xlsx", {"Cover": COVER, "One": CASES, "Two": later})
    with pytest.warns(UserWarning, match="a guess from the columns"):
        assert [each.id for each in sv.evaluate(file, db=shop).results()] == ["7"]
    with pytest.warns(UserWarning, match="a guess from the columns"):
        assert [each.id for each in sv.evaluate(file, db=shop, sheet="Two").results()] == ["8"]
    with refuses_data(DataError, "unknown_name", "'Three'"):
        sv.evaluate(file, db=shop, sheet="Three")
    with pytest.raises(UsageError, match="sheet='Two'"):
        sv.evaluate([{"id": 1, "gold": GOLD, "prediction": GOLD}], db=shop, sheet="Two")


@pytest.mark.parametrize(
    "above",
    [
        (("Evaluation Q3",),),
        (("Evaluation Q3",), (), ("as of", "2026-11-18")),
        ((None, "Test case", None, None, "Meta"),),
    ],
    ids=["a title", "a title and a date", "headings over groups of columns"],
)
def test_what_stands_above_the_header_is_left_out(tmp_path: Path, shop: Path, above: Sheet) -> None:
    file = workbook(tmp_path / "q.xlsx", {"Questions": (*above, *CASES)})
    benchmark = read_own_file(file, shop, {})
    assert [case.id for case in benchmark.cases] == ["7"]
    row = len(above) + 1
    assert any(f"the header is in row {row};" in note for note in benchmark.notes)


def test_a_message_names_the_sheet_that_comes_closest(tmp_path: Path, shop: Path) -> None:
    odd = (("Nr", "first", "second"), (1, GOLD, "SELECT 2"))
    file = workbook(tmp_path / "q.xlsx", {"Cover": COVER, "Questions": odd})
    with refuses_data(DataError, "unclear", "sheet 'Questions'", "gold queries"):
        read_own_file(file, shop, {})
    assert len(list(read_own_file(file, shop, {"first": "gold"}).cases)) == 1


def test_a_sheet_that_is_far_too_large_hides_no_other(
    tmp_path: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sqlverdict.load.tables import excel

    monkeypatch.setattr(excel, "_MOST_EMPTY", 100)
    far: Sheet = (*[()] * 200, ("x",))
    file = workbook(tmp_path / "q.xlsx", {"Far": (("y", "z"), *far), "Questions": CASES})
    assert [case.id for case in read_own_file(file, shop, {}).cases] == ["7"]


def test_other_files_of_tables_pass_over_a_cover_too(tmp_path: Path) -> None:
    labels = workbook(tmp_path / "l.xlsx", {"Cover": COVER, "L": (("id", "label"), (1, 1))})
    assert [item.id for item in read_labels(labels).items] == ["1"]
    golds = workbook(tmp_path / "g.xlsx", {"Cover": COVER, "G": (("id", "gold"), ("1", GOLD))})
    assert list(read_overlay("mine", golds).golds) == ["1"]
    assert sheet_names(golds) == ["Cover", "G"]
    assert sheet_names(tmp_path / "missing.xlsx") == []


@pytest.mark.parametrize("name", ["Nr", "No.", "#", "qid", "index", "NR.", "Index"])
def test_usual_names_of_ids_are_ids(tmp_path: Path, shop: Path, name: str) -> None:
    rows = (name, *CASES[0][1:]), (70, *CASES[1][1:]), (80, *CASES[1][1:])
    file = workbook(tmp_path / "q.xlsx", {"Q": rows})
    benchmark = read_own_file(file, shop, {})
    assert [(case.id, case.difficulty) for case in benchmark.cases] == [
        ("70", "easy"),
        ("80", "easy"),
    ]


def test_where_ids_are_not_taken_the_hint_proposes_the_column(tmp_path: Path, shop: Path) -> None:
    rows = ("Ticket", "Nr", "No.", "gold"), ("a", 1, 2, GOLD), ("b", 2, 3, GOLD)
    benchmark = read_own_file(workbook(tmp_path / "q.xlsx", {"Q": rows}), shop, {})
    assert any("Nr=id" in note for note in benchmark.notes)


def test_german_columns_below_merged_headings_are_understood(tmp_path: Path, shop: Path) -> None:
    rows = (
        ("Testfall", None, "Abfragen", None, "Sonstiges"),
        ("Lfd. Nr.", "Frage an den Bot", "Soll-Abfrage", "Antwort KI-Assistent", "Schwierigkeit"),
        (3, "Wie viele?", GOLD, f"Gerne:\n```sql\n{GOLD}\n```", "leicht"),
        (4, "Wetter?", None, "Dazu liegen leider keine Daten vor.", "mittel"),
    )
    file = workbook(tmp_path / "q.xlsx", {"Deckblatt": COVER, "Testfälle": rows})
    benchmark = read_own_file(file, shop, {})
    cases = [(case.id, case.question, case.difficulty) for case in benchmark.cases]
    assert cases == [("3", "Wie viele?", "leicht"), ("4", "Wetter?", "mittel")]
    assert evaluate("--cases", file, "--databases", shop, "--out", tmp_path / "r").startswith("0\n")


TWO_ROWS: Sheet = (
    ("Nr", "Frage", "Referenz", "Modell A", None, "Modell B", None),
    (None, None, None, "SQL", "Zeit", "SQL", "Zeit"),
    (7, "Wie viele?", "SELECT 1", "SELECT 1", 1.5, "SELECT 2", 2.5),
)


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_a_header_of_two_rows_is_joined(tmp_path: Path, shop: Path, ending: str) -> None:
    path = tmp_path / f"c.{ending}"
    if ending == "xlsx":
        workbook(path, {"Deckblatt": COVER, "Daten": TWO_ROWS})
    else:
        lines = [";".join("" if cell is None else str(cell) for cell in row) for row in TWO_ROWS]
        path.write_text("\n".join(lines) + "\n")
    columns = {"Referenz": "gold", "Modell B SQL": "prediction"}
    benchmark = read_own_file(path, shop, columns)
    assert isinstance(benchmark.cases, PairedCases)
    ((case, prediction),) = benchmark.cases.pairs()
    assert (case.id, case.question, case.golds[0], prediction.sql) == (
        "7", "Wie viele?", "SELECT 1", "SELECT 2",
    )  # fmt: skip
    names = "'Modell A SQL', 'Modell A Zeit', 'Modell B SQL', 'Modell B Zeit'"
    assert any(f"1 and 2 are one header; joined are {names}" in note for note in benchmark.notes)
    words = ("--cases", path, "--databases", shop, "--column", "Referenz=gold")
    output = evaluate(*words, "--system", "Modell A SQL", "--out", tmp_path / "r")
    assert output.startswith("0\n"), output


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        (("id", "gold", ""), ("1", "SELECT 1", "x")),  # data: a query is no name
        (("Fall", "Anna", ""), ("q1", "ja", "nein")),  # data: every column has a cell
        (("id", "gold", "note"), ("", "", "late")),  # no name stands for two columns
        (("id", "A", ""), ("", "", "x")),  # the first of two columns has no name
        (("id", "A", ""), ("", "x", "x")),  # the same name twice
        (("", "A", ""), ("x", "y", "")),  # nothing names the first column
        (("id", "A", ""), ("", "", "")),
    ],
)
def test_other_rows_are_no_header_of_two(upper: tuple[str, ...], lower: tuple[str, ...]) -> None:
    assert joined_names(upper, lower) is None


def test_a_header_of_two_rows_that_is_not_plain_is_named(tmp_path: Path, shop: Path) -> None:
    rows: Sheet = (
        ("Fall", None, "Referenz", "Modell A", None, "Modell B", None),
        ("Nr", "Frage", "SQL", "SQL", "Zeit", "SQL", "Zeit"),
        TWO_ROWS[2],
    )
    path = workbook(tmp_path / "c.xlsx", {"Daten": rows})
    message = "two rows, 1 and 2. Write the name of each column in one row, such as 'Modell B Zeit'"
    with refuses_data(DataError, "unreadable", message):
        read_own_file(path, shop, {})


def test_french_sheets_have_ids_and_levels(tmp_path: Path, shop: Path) -> None:
    rows: Sheet = (
        ("N°", "Question", "Requête attendue", "Réponse du bot", "Niveau"),
        ("Q7", "Combien ?", "SELECT 1", "SELECT 2", "facile"),
    )
    path = workbook(tmp_path / "c.xlsx", {"Données": rows})
    benchmark = read_own_file(path, shop, {})
    (case,) = benchmark.cases
    assert (case.id, case.difficulty) == ("Q7", "facile")
    assert any("'Niveau' as difficulty" in note for note in benchmark.notes)
