"""``check --min-accuracy``: what it refuses, what it says, and that doing so helps."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from drawn_votes import CASES, cases, good, invoke, vote_all, vote_usual
from error_parts import refuses_data
from label_runs import write_run
from sqlverdict.errors import DataError, UsageError
from sqlverdict.runlog.run import Run

Rows = Iterable[tuple[Any, ...]]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return write_run(tmp_path / "mine", cases())


def write(path: Path, head: str, rows: Rows) -> Path:
    lines = [head, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def gate(run: Run, labels: Path, least: float = 0.6, *more: object) -> Result:
    return invoke("check", run.folder, "--min-accuracy", least, "--labels", labels, *more)


def step_of(outcome: Result) -> str:
    (step,) = re.findall(r"next: (.*)", outcome.output)
    return step


@pytest.mark.parametrize(
    ("head", "votes", "words", "option"),
    [
        ("id,needs_join", 1, "'needs_join' holds people's labels", "--label-field needs_join"),
        ("id,ann,bob", 2, "'ann', 'bob' hold people's votes", "--votes ann --votes bob"),
    ],
)
def test_a_gate_takes_no_column_for_labels_by_its_cells(
    run: Run, tmp_path: Path, head: str, votes: int, words: str, option: str
) -> None:
    path = write(tmp_path / "x.csv", head, ((f"q{n}", *[1] * votes) for n in range(40)))
    outcome = gate(run, path)
    assert outcome.exit_code == 2
    assert words in outcome.output
    command = f"sqlverdict estimate RUN --labels {path} {option}"
    assert command in outcome.output
    with pytest.raises(UsageError, match=option):
        run.accuracy(path)
    # What the message says helps.
    line = command.replace("RUN", str(run.folder)).split()[1:]
    assert "100.0%" in invoke(*line).output
    names = head.split(",")[1:]
    share = run.accuracy(
        path,
        label_field=names[0] if votes == 1 else None,
        votes=names if votes > 1 else (),
    ).share
    assert (share.value, share.labels) == (1.0, 40)
    if votes == 1:
        path.write_text(path.read_text().replace("needs_join", "label"))
    else:
        rows = ((f"q{n}", name, 1) for n in range(40) for name in names)
        write(path, "id,annotator,label", rows)
    assert gate(run, path).exit_code == 0


def test_the_log_of_a_run_is_no_file_of_labels(run: Run, tmp_path: Path) -> None:
    log = run.folder / "results.jsonl"
    copy = tmp_path / "labels.jsonl"
    copy.write_bytes(log.read_bytes())
    for path in (log, copy):
        for outcome in (
            gate(run, path),
            invoke("estimate", run.folder, "--labels", path),
            invoke("agree", run.folder, "--labels", path),
            invoke("label", run.folder, "--import", path),
        ):
            assert outcome.exit_code == 2, outcome.output
            assert "is the log of a run" in outcome.output
        with refuses_data(DataError, "wrong_kind", "the log of a run"):
            run.accuracy(path)
    assert gate(run, run.folder / "summary.json").exit_code == 2


def test_the_notes_of_a_label_file_stand_on_every_surface(run: Run, tmp_path: Path) -> None:
    rows = [(f"q{n}", 0.5 if n < 3 else 1) for n in range(60)]
    path = write(tmp_path / "labels.csv", "id,label", [*rows, ("z1", 1), ("z2", 0)])
    notes = [*run.accuracy(path).notes]
    assert any("3 labels cannot tell" in note for note in notes)
    assert any("2 cases not in the run, left out: 'z1', 'z2'" in note for note in notes)
    text = gate(run, path).output
    estimate = json.loads(invoke("estimate", run.folder, "--labels", path, "--json").output)[
        "notes"
    ]
    record = json.loads(gate(run, path, 0.6, "--json").output)
    comment = gate(run, path, 0.6, "--format", "github").output
    assert [note for note in notes if note not in record["notes"]] == []
    for note in notes:
        assert note in estimate
        assert note in " ".join(text.split())
        assert f"- note: `{note}`" in comment


def test_json_holds_the_numbers_of_the_sentence(run: Run, tmp_path: Path) -> None:
    path = write(tmp_path / "labels.csv", "id,label", ((f"q{n}", 1) for n in range(60)))
    (condition,) = json.loads(gate(run, path, 0.6, "--json").output)["conditions"]
    figures = condition["accuracy"]
    assert figures["labels"] == 60
    assert figures["least"] == 0.6
    assert f"at least {100 * figures['bound']:.1f}%" in condition["actual"]
    blank = write(
        tmp_path / "blank.csv", "id,label", [*((f"q{n}", 1) for n in range(60)), ("q61", "")]
    )
    (condition,) = json.loads(gate(run, blank, 0.6, "--json").output)["conditions"]
    figures = condition["accuracy"]
    assert (figures["bound"], figures["labels"], figures["needed"]) == (None, 60, 1)


@pytest.mark.parametrize("form", ["sheet", "draw"])
def test_too_few_labels_say_how_many_are_needed(run: Run, tmp_path: Path, form: str) -> None:
    sheet = write(tmp_path / "labels.csv", "id,label", ((f"q{n}", 1) for n in range(12)))
    path = sheet if form == "sheet" else vote_all([run], tmp_path / "labels", 12, good)
    outcome = gate(run, path, 0.5)
    assert outcome.exit_code == 7
    assert "20 labels are needed at least, and 12 cases were drawn" in outcome.output
    step = step_of(outcome)
    assert f"sqlverdict estimate {run.folder} --plan" in step
    if form == "sheet":
        assert "add a row with the label of each" in step
    else:
        assert f"sqlverdict label {run.folder} --queue estimate --n 20 --out more" in step
        assert gate(run, vote_all([run], tmp_path / "more", 20, good), 0.5).exit_code == 0


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_what_the_gate_advises_for_exported_votes_works(
    run: Run, tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    vote_all([run], run.folder / "labels", 60, good)
    panel = tmp_path / f"panel.{suffix}"
    assert invoke("label", run.folder, "--export-votes", panel).exit_code == 0
    later = write_run(tmp_path / "later", cases(lambda n: f"SELECT {n}, {n % 2}"))
    outcome = gate(later, panel)
    assert outcome.exit_code == 7
    page, vote, export, append = step_of(outcome).split("; ")
    assert page == f"sqlverdict label {later.folder} --out more --n {CASES}"
    assert vote == "vote on these cases"
    vote_usual(later, Path("more"))
    assert invoke(*export.split()[1:]).exit_code == 0
    subprocess.run(append, shell=True, check=True)
    assert gate(later, panel).exit_code == 0
    assert later.accuracy(panel).share.labels == 60


def test_what_the_gate_advises_for_a_sheet_works(run: Run, tmp_path: Path) -> None:
    rows = [(f"q{n}", "" if n < 3 else 1) for n in range(60)]
    path = write(tmp_path / "labels.csv", "id,label", rows)
    outcome = gate(run, path)
    assert outcome.exit_code == 7
    assert f"write its label into its row of {path}" in step_of(outcome)
    write(path, "id,label", [(case, 1) for case, _ in rows])
    assert gate(run, path).exit_code == 0


def test_what_the_gate_advises_for_a_sheet_with_predictions_works(run: Run, tmp_path: Path) -> None:
    rows = [(f"q{n}", 1, f"SELECT {n}" if n else "SELECT 'earlier'") for n in range(60)]
    path = write(tmp_path / "labels.csv", "id,label,prediction", rows)
    outcome = gate(run, path)
    assert outcome.exit_code == 7
    assert "needs a label: q0" in outcome.output
    assert f"write its prediction in this run and its label into its row of {path}" in (
        step_of(outcome)
    )
    write(path, "id,label,prediction", [("q0", 1, "SELECT 0"), *rows[1:]])
    assert gate(run, path).exit_code == 0


def test_what_the_gate_advises_for_a_vote_log_of_an_earlier_run_works(
    run: Run, tmp_path: Path
) -> None:
    log = vote_all([run], run.folder / "labels", 60, good)

    def changed(some: Callable[[int], bool]) -> Run:
        return write_run(
            tmp_path / "later", cases(lambda n: f"SELECT {n}{', 1' if some(n) else ''}")
        )

    later = changed(lambda n: n % 2 == 0)
    outcome = gate(later, log)
    assert outcome.exit_code == 7
    step = step_of(outcome)
    assert "sqlverdict label EARLIER_RUN --export-votes panel.jsonl" in step
    panel = tmp_path / "panel.jsonl"
    assert invoke("label", run.folder, "--export-votes", panel).exit_code == 0
    assert "--export-votes more.jsonl" in step_of(gate(later, panel))


def test_no_flag_is_proposed_as_an_annotator(run: Run, tmp_path: Path) -> None:
    """An export whose column of labels is gone: its other columns are no annotators."""
    rows = [(f"q{n}", "ann", 1.0, "true", "true") for n in range(40)]
    path = write(tmp_path / "votes.csv", "id,annotator,value,gold_right,blind", rows)
    outcome = gate(run, path)
    assert outcome.exit_code == 2
    assert "gold_right" not in outcome.output.split("Give the whole")[-1].split("there are")[0]
    assert "--votes" not in outcome.output
    rows = [(f"q{n}", "ann", 1, 0, 1) for n in range(40)]
    path = write(tmp_path / "other.csv", "id,annotator,good,easy,long", rows)
    outcome = gate(run, path)
    assert outcome.exit_code == 2
    assert "--votes" not in outcome.output
    lines = [line for line in outcome.output.splitlines() if "--label-field" in line]
    assert [line.split()[-1] for line in lines] == ["good", "easy", "long"]
