"""``estimate`` and ``check --min-accuracy``, from the draw to the exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec import structs

from drawn_votes import CASES, cases, good, invoke, vote_all, vote_usual
from label_runs import write_run
from sqlverdict.runlog.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return write_run(tmp_path / "mine", cases())


def test_from_the_plan_to_the_gate(run: Run, tmp_path: Path) -> None:
    plan = invoke("estimate", run.folder, "--plan", "--width", "0.2")
    assert plan.exit_code == 0, plan.output
    assert "95% interval at most 20.0 points wide" in plan.output
    assert f"label {run.folder} --queue estimate --n " in plan.output
    votes = vote_all([run], tmp_path / "labels", 60, good)
    done = invoke("estimate", run.folder, "--labels", votes)
    assert done.exit_code == 0, done.output
    assert "accuracy on these 120 cases: 75.0%, 95% interval " in done.output
    assert "60 labels" in done.output
    assert "not about new questions" in done.output
    record = json.loads(invoke("estimate", run.folder, "--labels", votes, "--json").output)
    assert record["share"]["value"] == 0.75
    assert record["twice"] == 12
    outcome = run.accuracy(votes)
    assert (outcome.share.value, outcome.share.low) == (0.75, record["share"]["low"])
    gates = {
        minimum: invoke("check", run.folder, "--min-accuracy", minimum, "--labels", votes)
        for minimum in (0.6, 0.9)
    }
    assert {minimum: gate.exit_code for minimum, gate in gates.items()} == {0.6: 0, 0.9: 1}
    assert "accuracy by labels: shown" in gates[0.6].output
    assert "accuracy by labels: not shown" in gates[0.9].output
    assert invoke(
        "check", run.folder, "--min-accuracy", 0.6, "--labels", votes, "--looks", 5
    ).exit_code == 2  # fmt: skip


def test_too_few_labels_have_an_exit_code_of_their_own(run: Run, tmp_path: Path) -> None:
    votes = vote_all([run], tmp_path / "labels", 12, good)
    gate = invoke("check", run.folder, "--min-accuracy", "0.5", "--labels", votes)
    assert gate.exit_code == 7
    assert "too few labels" in gate.output
    other = invoke(
        "check", run.folder, "--min-accuracy", "0.5", "--labels", votes, "--min", "esm=2"
    )
    assert other.exit_code in (1, 2)


def test_a_panel_in_a_file_serves_a_later_run(run: Run, tmp_path: Path) -> None:
    vote_all([run], run.folder / "labels", 60, good)
    panel = tmp_path / "panel.jsonl"
    exported = invoke("label", run.folder, "--export-votes", panel)
    assert exported.exit_code == 0, exported.output
    same = write_run(tmp_path / "same", cases())
    gate = invoke("check", same.folder, "--min-accuracy", "0.6", "--labels", panel)
    assert gate.exit_code == 0, gate.output
    sample = sorted({json.loads(line)["id"] for line in panel.read_text().splitlines()})
    changed = sample[0]
    later = write_run(
        tmp_path / "later",
        cases(lambda n: "SELECT 'new'" if f"q{n}" == changed else f"SELECT {n}"),
    )
    gate = invoke("check", later.folder, "--min-accuracy", "0.6", "--labels", panel)
    assert gate.exit_code == 7, gate.output
    assert f"needs a label: {changed}" in gate.output
    assert "too few labels (59 labels)" in gate.output, "a bound would look like an answer"
    assert f"next: sqlverdict label {later.folder} --out more" in gate.output


@pytest.mark.parametrize(
    ("least", "words"),
    [("0.99", "is below the minimum: mend answers"), ("0.74", "only a new draw with more labels")],
)
def test_a_gate_that_shows_nothing_says_what_would(
    run: Run, tmp_path: Path, least: str, words: str
) -> None:
    votes = vote_all([run], tmp_path / "labels", 60, good)
    gate = invoke("check", run.folder, "--min-accuracy", least, "--labels", votes)
    assert gate.exit_code == 1, gate.output
    assert words in gate.output


def test_the_difference_of_two_runs(run: Run, tmp_path: Path) -> None:
    other = write_run(
        tmp_path / "other",
        cases(lambda n: f"SELECT {n}" if n % 4 else f"SELECT {n} + 1"),
        system="other",
    )
    votes = vote_all(
        [run, other], tmp_path / "labels", 150, lambda c: "+" not in (c.prediction or "")
    )
    done = invoke("estimate", run.folder, other.folder, "--labels", votes)
    assert done.exit_code == 0, done.output
    assert "+25.0 points" in done.output
    assert "90 identical" in done.output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "either --plan, or --labels"),
        (("--plan", "--labels", "x"), "either --plan, or --labels"),
        (("--labels", "missing.jsonl"), "missing.jsonl"),
        (("--plan", "--width", "0"), "between 0 and 1"),
    ],
)
def test_wrong_calls(run: Run, args: tuple[str, ...], words: str) -> None:
    done = invoke("estimate", run.folder, *args)
    assert done.exit_code == 2
    assert words in done.output


def test_votes_of_the_usual_queue_are_refused(run: Run, tmp_path: Path) -> None:
    done = invoke("estimate", run.folder, "--labels", vote_usual(run, tmp_path / "labels"))
    assert done.exit_code == 2
    assert "--queue estimate" in done.output


def test_votes_of_any_queue_may_be_added_to_a_panel(run: Run, tmp_path: Path) -> None:
    """They label the drawn cases that the gate names, and add none to the sample."""
    vote_all([run], run.folder / "labels", 60, good)
    panel, more = tmp_path / "panel.jsonl", tmp_path / "more.jsonl"
    invoke("label", run.folder, "--export-votes", panel)
    later = write_run(tmp_path / "later", cases(lambda n: f"SELECT {n}, {n % 2}"))
    gate = invoke("check", later.folder, "--min-accuracy", "0.6", "--labels", panel)
    assert gate.exit_code == 7, gate.output
    assert gate.output.count("needs a label: ") == 60
    vote_usual(later, tmp_path / "more")
    exported = invoke(
        "label", later.folder, "--out", tmp_path / "more", "--export-votes", more
    )  # fmt: skip
    assert exported.exit_code == 0, exported.output
    panel.write_text(panel.read_text() + more.read_text())
    outcome = later.accuracy(panel)
    assert (outcome.needed, outcome.share.labels, outcome.share.value) == ((), 60, 1.0)
    gate = invoke("check", later.folder, "--min-accuracy", "0.6", "--labels", panel)
    assert gate.exit_code == 0, gate.output


def test_a_gate_on_a_sheet_says_what_it_takes_for_granted(run: Run, tmp_path: Path) -> None:
    sheet = tmp_path / "labels.csv"
    sheet.write_text("id,label\n" + "".join(f"q{n},1\n" for n in range(0, CASES, 3)))
    gate = invoke("check", run.folder, "--min-accuracy", "0.5", "--labels", sheet)
    assert gate.exit_code == 0, gate.output
    assert "taken as drawn at random" in gate.output


def test_an_identical_prediction_keeps_its_label_under_another_gold(
    run: Run, tmp_path: Path
) -> None:
    vote_all([run], run.folder / "labels", 60, good)
    panel = tmp_path / "panel.jsonl"
    invoke("label", run.folder, "--export-votes", panel)
    other = [structs.replace(case, gold=("SELECT 7",)) for case in cases()]
    later = write_run(tmp_path / "later", other)
    assert later.accuracy(panel).share == run.accuracy(panel).share


def test_a_minimum_needs_labels(run: Run) -> None:
    assert invoke("check", run.folder, "--min-accuracy", "0.5").exit_code == 2
