"""Exhibits: ours beside the paper's, files that are missing, the demo in their place."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sqlverdict.errors import UsageError
from sqlverdict.papers.cell import PaperCell
from sqlverdict.papers.exhibit import Exhibit, Figure, Paper, grid
from sqlverdict.papers.output import (
    PAGE,
    all_cells,
    cell_table,
    paper_json,
    summary_line,
    write_files,
)
from sqlverdict.papers.paper_data import PaperData
from sqlverdict.papers.reproduce import (
    Reproduction,
    choose_exhibits,
    load_paper,
    paper_names,
    reproduce_exhibits,
)
from sqlverdict.pipeline import Options
from sqlverdict.records import Case
from sqlverdict.run.task import as_benchmark

PRINTED = grid(
    """
    system   EX    FLEX
    one      71.5  80.0
    two      60.2  .
    """
)
SOURCES = {"spider": "Spider", "spider/predictions": "the files of the project"}


def scores(data: PaperData) -> Iterator[PaperCell | Figure]:
    share = float(data.lines("spider", "predictions", "one.txt")[0])
    yield PaperCell("one", "EX", share, n=10, reason="half of the questions")
    yield PaperCell("one", "other", 3)
    yield Figure("bars.svg", "<svg></svg>")


def demo(data: PaperData) -> Iterator[PaperCell]:
    del data
    yield PaperCell("bold", "EX", 50.0, n=4)


def reproduction(exhibit: Exhibit, data: PaperData) -> Reproduction:
    paper = Paper("tiny", "Tiny & small (2026)", (exhibit,), SOURCES)
    return next(reproduce_exhibits(paper, paper.exhibits, data))


def exhibit(**settings: object) -> Exhibit:
    fields = {"names": ("table 4",), "title": "scores", "printed": PRINTED, **settings}
    return Exhibit(**fields)  # type: ignore[arg-type]


@pytest.fixture
def data(tmp_path: Path) -> PaperData:
    folder = tmp_path / "data" / "spider" / "predictions"
    folder.mkdir(parents=True)
    (folder / "one.txt").write_text("71.46\n")
    return PaperData(tmp_path / "data", tmp_path / "out")


def test_a_grid_has_a_value_for_each_row_and_column() -> None:
    assert PRINTED == {("one", "EX"): "71.5", ("one", "FLEX"): "80.0", ("two", "EX"): "60.2"}
    with pytest.raises(ValueError, match="3 columns"):
        grid("system  a  b\none  1")


def test_ours_stands_beside_the_papers(data: PaperData) -> None:
    result = reproduction(exhibit(compute=scores, absent="not published"), data)
    cells = {(cell.row, cell.column): cell for cell in result.cells}
    assert cells["one", "EX"].difference == "equal"
    assert cells["one", "EX"].reason == "", "what is equal needs no reason"
    assert cells["two", "EX"] == PaperCell("two", "EX", None, "60.2", reason="not published")
    assert cells["one", "other"].paper == ""
    assert [figure.name for figure in result.figures] == ["bars.svg"]
    assert result.note == ""


def test_a_missing_file_is_named_with_its_source(tmp_path: Path) -> None:
    empty = PaperData(None, tmp_path)
    result = reproduction(exhibit(compute=scores), empty)
    assert result.note == (
        "spider/predictions/one.txt is not in the data folder. Put there: the files of the project."
    )
    assert [cell.ours for cell in result.cells] == [None, None, None]


def test_the_demo_shows_the_form(tmp_path: Path) -> None:
    result = reproduction(exhibit(compute=scores, demo=demo), PaperData(None, tmp_path))
    assert result.cells[0] == PaperCell("bold", "EX", 50.0, n=4)
    assert result.note.endswith("The demo's systems are made up: they show the form.")
    assert len(result.cells) == 4


def test_what_was_never_published_says_so(data: PaperData) -> None:
    result = reproduction(exhibit(absent="the judged files were never published."), data)
    assert result.note == "the judged files were never published."
    assert {cell.ours for cell in result.cells} == {None}


def test_a_repeated_reason_is_not_repeated() -> None:
    cells = [PaperCell(row, "EX", 1.0, "2.0", reason="other files") for row in "ab"]
    assert [row[-1] for row in cell_table(cells).rows] == ["other files", "as above"]


def test_a_page_has_every_table_and_drawing(data: PaperData, tmp_path: Path) -> None:
    one = exhibit(compute=scores, about="How <b>", command="sqlverdict evaluate ...")
    paper = Paper("tiny", "Tiny & small (2026)", (one,), SOURCES)
    results = [reproduction(one, data)]
    page = write_files(tmp_path / "out", paper, results).read_text("utf-8")
    assert (tmp_path / "out" / PAGE).is_file()
    assert (tmp_path / "out" / "bars.svg").read_text("utf-8") == "<svg></svg>\n"
    for text in ("Tiny &amp; small", "Table 4: scores", "How &lt;b&gt;", "<svg></svg>", "71.5"):
        assert text in page
    assert "<b>" not in page
    facts = paper_json(paper, results)
    assert facts["sources"] == SOURCES
    assert facts["exhibits"][0]["cells"][0] == {
        "row": "one",
        "column": "EX",
        "ours": 71.46,
        "paper": "71.5",
        "difference": "equal",
        "n": 10,
        "reason": "",
    }
    assert summary_line(all_cells(results)).startswith(
        "1 of 1 values that can be compared are equal"
    )
    assert summary_line([]) == "no value of ours can be compared"


class Counter:
    """How many cases were done before a run began."""

    def __init__(self) -> None:
        self.resumed: list[int] = []

    def begin(self, total: int | None, resumed: int) -> None:
        del total
        self.resumed.append(resumed)

    def advance(self, cases: int) -> None:
        del cases


def test_runs_are_shared_and_resumed(tmp_path: Path) -> None:
    database = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
    cases = [Case(str(n), "shop", "", ("SELECT id FROM item",), str(database)) for n in range(3)]
    file = tmp_path / "one.txt"
    file.write_text("SELECT id FROM item\n" * 3)
    counter = Counter()
    options = Options(workers=0, progress=counter)
    first = PaperData(None, tmp_path / "out", options)
    runs = first.evaluate("shop", as_benchmark(cases), {"one": file}, Options(metrics="ex"))
    again = first.evaluate("shop", as_benchmark(cases), {"one": file}, Options(metrics="ex"))
    assert runs is again, "the next exhibit gets the same runs"
    later = PaperData(None, tmp_path / "out", options)
    (run,) = later.evaluate("shop", as_benchmark(cases), {"one": file}, Options(metrics="ex"))
    assert counter.resumed == [0, 3], "the next command finds them done"
    assert run.folder == tmp_path / "out" / "runs" / "shop" / "one"
    assert run.estimate("ex").value == 1.0


@pytest.mark.parametrize("text", ["4", "table 4", "Table4", " 4 "])
def test_a_number_alone_is_a_table(text: str) -> None:
    paper = load_paper("etm")
    assert [each.names for each in choose_exhibits(paper, [text])] == [("table 4",)]


def test_exhibits_are_chosen_by_any_of_their_names() -> None:
    paper = load_paper("etm")
    tables = choose_exhibits(paper, ["figure a1", "2"])
    assert [each.heading for each in tables] == ["tables 1, 2 and 3", "figures 7 and A1"]
    assert choose_exhibits(paper, ()) == paper.exhibits
    with pytest.raises(UsageError, match=r"'figure 4711'.* A1"):
        choose_exhibits(paper, ["figure 4711"])


@pytest.mark.parametrize("name", paper_names())
def test_a_paper_says_what_it_needs(name: str) -> None:
    paper = load_paper(name)
    assert paper.name == name
    names = [each for one in paper.exhibits for each in one.names]
    assert len(names) == len(set(names))
    for one in paper.exhibits:
        assert one.compute is not None or one.absent, f"{one.heading} says nothing"
        assert not one.absent or one.absent[-1] != " "
