"""Older files of votes: labels and choices that were merged are read as what they meant."""

from __future__ import annotations

import json
import re
from pathlib import Path

from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.votes import MEANINGS, OLD_LABELS, read_events
from sqlverdict.runlog.run import Run

TIME = "2025-01-01T12:00:00Z"


def label(run: Run, *options: str) -> str:
    outcome = CliRunner().invoke(sqlverdict, ["label", str(run.folder), *options])
    assert outcome.exit_code == 0, outcome.output
    return outcome.output


def write_lines(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def vote(case: str, pair: str, **more: object) -> dict[str, object]:
    start = {"vote_schema": 1, "kind": "vote", "id": case, "pair": pair, "annotator": "cai"}
    return {**start, "at": TIME, "source": "offline", **more}


def test_choices_of_an_older_offline_page_are_read(run: Run, tmp_path: Path) -> None:
    page = tmp_path / "cai.html"
    label(run, "--annotators", "cai", "--offline", str(page))
    (text,) = re.findall(r'id="page-data">(.*?)</script>', page.read_text(), re.DOTALL)
    items = json.loads(text)["items"][:2]
    votes = [
        vote(item["id"], item["pair"], choice=choice, shown={"first": "", "blind": True})
        for item, choice in zip(items, ("either", "ambiguous"), strict=True)
    ]
    file = write_lines(tmp_path / "votes.jsonl", votes)
    assert "2 added" in label(run, "--import", str(file))
    events = list(read_events(run.folder / "labels" / "votes.jsonl"))
    assert [event.label for event in events] == ["right", "undecided"]
    # Their queue is not known, and nothing is said about how they were chosen.
    assert {(event.stratum, event.sampling_probability) for event in events} == {("", None)}


def test_labels_of_an_older_log_are_read(tmp_path: Path) -> None:
    votes = [vote("1", "aa", label="both_acceptable"), vote("2", "bb", label="ambiguous")]
    file = write_lines(tmp_path / "votes.jsonl", votes)
    labels = read_labels(file)
    assert [item.original for item in labels.items] == [1.0, 0.5]
    assert {event.label for event in read_events(file)} == {"right", "undecided"}


def test_labels_of_an_older_sheet_are_read(tmp_path: Path) -> None:
    sheet = tmp_path / "old.csv"
    sheet.write_text("id,label\n1,both_acceptable\n2,Ambiguous\n3,both acceptable\n")
    assert [item.original for item in read_labels(sheet).items] == [1.0, 0.5, 1.0]


def test_every_older_label_has_one_of_today() -> None:
    assert {*OLD_LABELS.values()} <= {*MEANINGS}
    assert not {*OLD_LABELS} & {*MEANINGS}
