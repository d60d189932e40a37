"""Votes of several queues on the same pairs: what was drawn for an estimate stays drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from drawn_votes import CASES, cases, good, invoke, vote_all, vote_usual
from label_runs import write_run
from sqlverdict.label.queue import build_queue
from sqlverdict.label.session_key import open_key, save_key
from sqlverdict.load.people.labels import read_labels
from sqlverdict.runlog.run import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return write_run(tmp_path / "mine", cases())


def draw_in(run: Run, folder: Path, seed: int = 0) -> None:
    """The folder keeps a draw, as ``label --queue estimate`` leaves it."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = build_queue([run], "estimate", 60, seed).draw
    save_key(folder, structs.replace(open_key(folder), draw=draw))


@pytest.mark.parametrize("usual_first", [False, True])
def test_votes_of_another_queue_in_one_file_leave_the_draw_as_it_was(
    run: Run, tmp_path: Path, usual_first: bool
) -> None:
    """They are newer labels of the drawn pairs, by the same annotator too."""
    draw = vote_all([run], tmp_path / "drawn", 60, lambda _: True)
    usual = vote_usual(run, tmp_path / "usual")
    before = run.accuracy(draw)
    both = tmp_path / "both.jsonl"
    parts = (usual, draw) if usual_first else (draw, usual)
    both.write_bytes(b"".join(part.read_bytes() for part in parts))
    after = run.accuracy(both)
    assert (after.needed, after.share) == ((), before.share)


def test_an_import_into_a_folder_with_a_draw_keeps_it(run: Run, tmp_path: Path) -> None:
    folder = run.folder / "labels"
    draw_in(run, folder)
    votes = vote_all([run], folder, 60, lambda _: True)
    usual = vote_usual(run, tmp_path / "usual")
    before = run.accuracy(votes)
    done = invoke("label", run.folder, "--import", usual)
    assert f"{CASES} added" in done.output
    assert run.accuracy(votes).share == before.share
    gate = invoke("check", run.folder, "--min-accuracy", "0.4", "--labels", votes)
    assert gate.exit_code == 0, gate.output
    panel = tmp_path / "panel.csv"
    invoke("label", run.folder, "--export-votes", panel)
    assert run.accuracy(panel).share == before.share


def test_an_imported_vote_is_the_label_of_a_drawn_pair(run: Run, tmp_path: Path) -> None:
    """Nobody voted on the queue of the draw yet: the votes of another queue will do."""
    folder = run.folder / "labels"
    draw_in(run, folder)
    invoke("label", run.folder, "--import", vote_usual(run, tmp_path / "usual"))
    share = run.accuracy(folder / "votes.jsonl").share
    assert (share.labels, share.pending) == (60, 0)


def test_votes_of_another_draw_are_not_imported_beside_one(run: Run, tmp_path: Path) -> None:
    folder = run.folder / "labels"
    draw_in(run, folder)
    votes = vote_all([run], folder, 60, good)
    sheet = tmp_path / "other.csv"
    items = build_queue([run], "stratified", CASES, 0).items.values()
    rows = [f"{item.result.id},cy,1,{item.pair},rejected,30,0.5" for item in items]
    head = "id,annotator,label,pair,stratum,stratum_size,sampling_probability"
    sheet.write_text("\n".join([head, *rows]))
    before = votes.read_bytes()
    done = invoke("label", run.folder, "--import", sheet)
    assert done.exit_code == 2, done.output
    assert "of another draw" in " ".join(done.output.split())
    assert votes.read_bytes() == before
    assert len(read_labels(votes).items) == 60
