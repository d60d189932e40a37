"""A metric of a run has one value and one denominator, whatever prints it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.report.html.build import make_document
from sqlverdict.report.html.document import PageSystem
from sqlverdict.report.reliability.figures import ReliabilityRequest, reliability_of
from sqlverdict.report.terminal.tables import md_cell
from sqlverdict.runlog.run import Run, read_run
from tiers import sampled

Figures = dict[str, tuple[str, int]]
"""What each surface says of a metric: the value in percent, and n."""


@cache
def stdout_of(*args: object) -> str:
    """What a command prints; all runs of a comparison ask for the same tables."""
    done = CliRunner().invoke(sqlverdict, [str(arg) for arg in args])
    assert done.exit_code == 0, done.output
    return done.stdout


def rounded(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"  # noqa: RUF001


def row_of(text: str, name: str) -> list[str]:
    """The cells of the first line of a table that begins with a name."""
    pattern = rf"^[| ]*(?:\d+ +)?{re.escape(name)} [ |].*$"
    line = re.search(pattern, text, re.MULTILINE)
    assert line is not None, f"{name} is in no row of\n{text}"
    return [cell for cell in re.split(r"\s*\|\s*|\s{2,}", line[0]) if cell.strip()]


def surfaces(run: Run, page: PageSystem, runs: Sequence[Run], metric: str) -> Figures:
    """The metric of one run by everything that prints it."""
    system, folders = run.manifest.system, [each.folder for each in runs]
    estimate = run.estimate(metric)
    summary = json.loads((run.folder / "summary.json").read_bytes())
    own = next(each for each in summary["estimates"] if each["metric"] == metric)
    boards = json.loads(stdout_of("leaderboard", *folders, "--metric", metric, "--json"))
    ranked = next(each for each in boards[0]["places"] if each["system"] == system)
    table = row_of(stdout_of("table", *folders, "--metric", metric), system)
    heading = re.search(r"\(n ([\d,]+)\)", stdout_of("table", *folders, "--metric", metric))
    report = row_of((run.folder / "report.md").read_text("utf-8"), md_cell(metric))
    printed = next(line for line in str(run).splitlines() if line.startswith(f"{metric}:"))
    on_page = next(each for each in page.metrics if each.label == metric)
    rs = reliability_of(run, ReliabilityRequest(source=metric)).view("ANS+UnANS")
    figures = {
        "api": (rounded(estimate.value), estimate.scored),
        "summary.json": (rounded(own["value"]), own["scored"]),
        "leaderboard": (rounded(ranked["value"]), ranked["scored"]),
        "table": (table[1], int(heading[1] if heading else table[2])),
        "report.md": (report[1].removesuffix("%"), int(report[3])),
        "str(run)": (
            printed.split()[1].removesuffix("%"),
            int(printed.split(" n ")[1].split(",")[0]),
        ),
        "page": (rounded(on_page.value), on_page.scored),
        "rs(0)": (rounded(rs.scores["0"]), int(rs.items)),
    }
    other = next(each for each in runs if each is not run)
    compared = json.loads(
        stdout_of("compare", other.folder, run.folder, "--metric", metric, "--json")
    )
    if compared["outcome"]["test"]["pairs"] == estimate.scored:
        figures["compare"] = (rounded(compared["after"]), estimate.scored)
    if metric == run.deciding:
        figures |= by_headline(run, page.sentence)
    return figures


def by_headline(run: Run, sentence: str) -> Figures:
    """The sentences, and what the run calls its cases one by one."""
    title = (run.folder / "report.md").read_text("utf-8").splitlines()[0]
    figures: Figures = {}
    for surface, text in (("page's headline", sentence), ("title of report.md", title)):
        numbers = re.search(r"([\d,]+) of ([\d,]+) right.*: ([\d.]+)% right", text)
        assert numbers is not None, text
        parts = re.findall(r"([\d,]+) (?:wrong\b|wrongly abstained|to review)", text)
        assert int(numbers[1]) + sum(map(int, parts)) == int(numbers[2]), text
        figures[surface] = (numbers[3], int(numbers[2]))
    root = ET.parse(run.folder / "junit.xml").getroot()
    tests, failures, errors, skipped = (
        int(root.get(name, "")) for name in ("tests", "failures", "errors", "skipped")
    )
    right, n = tests - failures - errors - skipped, tests - errors
    return figures | {"junit.xml": (rounded(right / n), n)}


def check(runs: Sequence[Run]) -> None:
    for run in runs:
        page = make_document([run]).index.systems[0]
        for metric in run.manifest.metrics:
            figures = surfaces(run, page, runs, metric)
            assert len(set(figures.values())) == 1, (run.manifest.system, metric, figures)
        for by in ("difficulty", "db_id", "answerable"):
            slices = [each for each in run.summary.slices if each.by == by]
            for number, whole in enumerate(run.summary.estimates):
                parts = [each.estimates[number] for each in slices]
                assert sum(each.scored for each in parts) == whole.scored
                assert sum(each.total for each in parts) == whole.total


@pytest.mark.slow
def test_the_demo_says_the_same_everywhere(demo_run: Any) -> None:
    runs = [read_run(demo_run.folder / "demo" / name) for name in ("bold", "careful", "rough")]
    check(runs)
    for run in runs:
        estimate = run.estimate("verdict")
        row = row_of(demo_run.output, run.manifest.system)
        cells = [rounded(estimate.value) + "%", str(estimate.scored), str(estimate.right)]
        assert [row[2], row[4], row[5]] == cells
        abstaining = row_of(demo_run.output.partition("What abstaining is worth")[2], row[1])
        assert abstaining[1:2] + abstaining[4:5] == [str(estimate.scored), rounded(estimate.value)]


@pytest.mark.sampled
def test_spider_says_the_same_everywhere(data_root: Path, tmp_path: Path) -> None:
    root = data_root / "spider"
    names = ("DAIL", "C3")
    predictions = [f"--predictions={root / 'predictions' / 'dev' / name}.txt" for name in names]
    common = ["--benchmark", "spider", "--root", root, "--workers", "0"]
    common += ["--limit", sampled(30, 120)]
    stdout_of(
        *("evaluate", *common, *predictions, "--metrics", "verdict,ex[spider],esm,ex"),
        *("--prove", "--refute", "20", "--quiet", "--out", tmp_path / "runs"),
    )
    check([read_run(tmp_path / "runs" / name) for name in names])
