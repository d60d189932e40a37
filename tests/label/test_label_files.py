"""Votes as files: exports that other commands read, and imports of other people's labels."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from error_parts import refuses_data
from label_runs import KNOWLEDGE, PAIRS, SECRET, OpenSession
from sqlverdict.cli.main import sqlverdict
from sqlverdict.error_reasons import DataReason
from sqlverdict.errors import DataError
from sqlverdict.label.ballot import Ballot, label_of_choice
from sqlverdict.label.export import export_votes
from sqlverdict.label.import_votes import import_votes
from sqlverdict.label.queue import first_side, pair_of
from sqlverdict.label.session import token_subject
from sqlverdict.label.session_key import KEY_FILE, SessionKey, open_key
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.load.overlays import read_overlay
from sqlverdict.load.people.labels import read_labels
from sqlverdict.load.people.sheet import LabelFields
from sqlverdict.load.people.votes import VoteLogContent, read_events
from sqlverdict.runlog.run import Run

Label = Callable[..., str]
KEY = SessionKey(SECRET)


@pytest.fixture
def label(run: Run, tmp_path: Path) -> Label:
    """Calls ``sqlverdict label`` on the run, with the votes of the session."""

    def call(*options: str, command: str = "label") -> str:
        line = [command, str(run.folder), *options]
        if command == "label":
            line += ["--out", str(tmp_path / "labels")]
        result = CliRunner().invoke(sqlverdict, line)
        assert result.exit_code == 0, result.output
        return result.output

    return call


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def vote_on_everything(session) -> None:
    """ann and bob agree but on q1, where cai decides; q2's gold is wrong, both answer q3."""
    pairs = {item.result.id: pair for pair, item in session.queue.items.items()}

    def vote(name: str, case: str, label: str, **more) -> None:
        pair = pairs[case]
        sides = {"wrong": "gold", "gold_wrong": "prediction"}
        choice = label
        if label in sides:
            choice = "only_a" if session.first(name, pair) == sides[label] else "only_b"
        session.vote(name, Ballot(pair, choice, **more))

    for name in ("ann", "bob"):
        vote(name, "q0", "wrong", categories=("nullable_column",), realistic="yes")
        vote(name, "q2", "gold_wrong", note="=the id is not asked for")
        vote(name, "q3", "both")
        vote(name, "q4", "neither", corrected_gold="SELECT MAX(id) FROM item")
    vote("ann", "q1", "both")
    vote("bob", "q1", "wrong")
    session.adjudicate("cai", Ballot(pairs["q1"], "only_a", reason="names are missing"))
    session.log.close()


def test_corrected_golds_are_lines_of_an_overlay(
    open_session: OpenSession, label: Label, tmp_path: Path
) -> None:
    vote_on_everything(open_session())
    file = tmp_path / "golds.jsonl"
    assert "2 corrected golds" in label("--export-golds", str(file))
    assert {*read_overlay("ours", file).golds} == {"q2", "q4"}
    records = {record.pop("id"): record for record in lines(file)}
    assert records == {
        "q2": {"gold": [PAIRS[2][2]], "reason": "=the id is not asked for", "by": "ann, bob"},
        "q4": {"gold": ["SELECT MAX(id) FROM item"], "reason": "both_wrong", "by": "ann, bob"},
    }


def test_a_prediction_that_differs_and_answers_too_is_added_to_the_golds(
    open_session: OpenSession, label: Label, tmp_path: Path
) -> None:
    session = open_session()
    for pair, item in session.queue.items.items():
        if item.result.id in ("q0", "q1", "q5"):
            session.vote("ann", Ballot(pair, "both"))
    session.log.close()
    file = tmp_path / "golds.jsonl"
    label("--export-golds", str(file))
    golds = {record["id"]: record["gold"] for record in lines(file)}
    # q0 differs on a witness, q1 on the real database; of q5 no difference is known.
    assert golds == {f"q{n}": [PAIRS[n][1], PAIRS[n][2]] for n in (0, 1)}


def test_exported_votes_are_a_table_without_formulas(
    open_session: OpenSession, label: Label, tmp_path: Path
) -> None:
    vote_on_everything(open_session())
    table, log = tmp_path / "votes.csv", tmp_path / "votes.jsonl"
    assert "11 votes" in label("--export-votes", str(table))
    label("--export-votes", str(log))
    assert "'=the id is not asked for" in table.read_text()
    records = lines(log)
    assert len(records) == len(table.read_text().splitlines()) - 1 == 11
    assert {record["label"] for record in records if record["id"] == "q1"} == {"right", "wrong"}
    assert all(record["blind"] for record in records if record["kind"] == "vote")


def test_labelled_cases_are_a_benchmark_and_its_labels(
    open_session: OpenSession, label: Label, run: Run, tmp_path: Path
) -> None:
    vote_on_everything(open_session())
    file = tmp_path / "cases.jsonl"
    label("--export-cases", str(file))
    labels = read_labels(file)
    assert {item.id: item.value for item in labels.items} == {
        "q0": 0, "q1": 0, "q2": 1, "q3": 1, "q4": 0
    }  # fmt: skip
    from sqlverdict.cli.options.data import DataArgs, read_benchmark

    cases = {case.id: case for case in read_benchmark(DataArgs(cases=file)).cases}
    assert cases["q1"].golds == ("SELECT name FROM item",)
    assert cases["q1"].knowledge == KNOWLEDGE
    report = json.loads(label("--labels", str(file), "--json", command="agree"))
    log = str(tmp_path / "labels" / "votes.jsonl")
    from_log = json.loads(label("--labels", log, "--json", command="agree"))
    assert report["matched"] == from_log["matched"] == 5
    assert report["metrics"] == from_log["metrics"]
    assert report["annotators"]["fleiss"] == from_log["annotators"]["fleiss"]


def test_a_spreadsheet_of_votes_comes_back(
    open_session: OpenSession, label: Label, tmp_path: Path
) -> None:
    session = open_session()
    table = tmp_path / "sheet.csv"
    table.write_text("id,annotator,label,note\nq0,dee,gold wrong,why\nq9,dee,right,\n")
    session.log.close()
    output = label("--import", str(table))
    assert "1 added" in output
    assert "1 left out: the runs have no case of this id" in output
    assert "in the log already" in label("--import", str(table))
    again = open_session()
    (votes,) = again.log.content.pairs.values()
    assert votes.votes["dee"].label == "gold_wrong"
    assert votes.votes["dee"].source == "sheet.csv"
    table.write_text("id,annotator,label\nq0,dee,perhaps\n")
    again.log.close()
    line = ["label", str(tmp_path / "run"), "--out", str(tmp_path / "labels")]
    result = CliRunner().invoke(sqlverdict, [*line, "--import", str(table)])
    assert result.exit_code == 2
    assert "line 2: 'label' is 'perhaps'. Expected 1 (right), 0 (wrong)" in result.output


@pytest.mark.parametrize("name", ["votes.csv", "votes.jsonl"])
@pytest.mark.parametrize(
    "notes",
    [("=1+1", "'=1", "''-x"), ("a; b", '"quoted", and more', "two\nlines"), ("", " ", "ä")],
)
def test_exported_votes_come_back_as_they_were(
    open_session: OpenSession, run: Run, tmp_path: Path, name: str, notes: tuple[str, ...]
) -> None:
    """The adjudicator stays one; votes keep their pair, time, note and order of queries."""
    session = open_session()
    for who, pair, note in zip(("ann", "bob", "ann"), session.queue.order[:3], notes, strict=True):
        ballot = Ballot(pair, "both", ("nullable_column", "filtering"), note, "yes", "SELECT 1")
        session.vote(who, msgspec.structs.replace(ballot, seconds=1.5))
    first = session.queue.order[0]
    session.vote("bob", Ballot(first, "neither"))
    session.reveal("bob", first)
    session.vote("bob", Ballot(first, "neither"))
    session.adjudicate("cai", Ballot(first, "only_a", reason="=names are missing"))
    session.log.close()
    items, exported, again = session.queue.items, tmp_path / name, tmp_path / f"again-{name}"
    count = export_votes(session.log.content, items, exported)
    log = VoteLog(tmp_path / "other")
    assert import_votes(exported, [run], log, "nobody", LabelFields(), KEY) == {"added": count}
    assert export_votes(log.content, items, again) == count
    assert again.read_bytes() == exported.read_bytes()
    assert log.content.annotators == session.log.content.annotators == ("ann", "bob")
    assert log.content.pairs[first].adjudication.annotator == "cai"
    repeated = import_votes(exported, [run], log, "nobody", LabelFields(), KEY)
    assert repeated == {"in the log already": count}
    log.close()


def test_a_row_of_another_kind_or_pair_is_no_vote(
    open_session: OpenSession, run: Run, tmp_path: Path
) -> None:
    log = open_session().log
    table = tmp_path / "sheet.csv"
    table.write_text("id,annotator,label,pair\nq0,dee,right,0123456789abcdef\n")
    outcomes = import_votes(table, [run], log, "nobody", LabelFields(), KEY)
    assert outcomes == {"left out: the runs have another prediction or gold for the case": 1}
    for row in ("undo,", "vote,soon"):
        table.write_text(f"id,annotator,label,kind,seconds\nq0,dee,right,{row}\n")
        with refuses_data(DataError, "wrong_value", "line 2"):
            import_votes(table, [run], log, "nobody", LabelFields(), KEY)


@pytest.mark.parametrize(
    ("records", "reason", "says"),
    [
        ([{"id": "q0", "label": 1}, {"id": "q0", "label": 0}], "repeated", "line 2: the id 'q0'"),
        ([{"id": "q0", "votes": [1, 0]}, {"id": "q1", "votes": [0]}], "incomplete", "1, 2 votes"),
        (
            [
                {"id": "q0", "annotator": "ann", "label": 1},
                {"id": "q1", "annotator": "ann", "label": 1, "seconds": {"a": 1}},
            ],
            "wrong_value",
            "line 2",
        ),
    ],
)
def test_of_a_file_that_cannot_be_read_nothing_is_added(
    open_session: OpenSession,
    run: Run,
    tmp_path: Path,
    records: list[dict],
    reason: DataReason,
    says: str,
) -> None:
    log = open_session().log
    file = tmp_path / "sheet.jsonl"
    file.write_text("\n".join(map(json.dumps, records)))
    with refuses_data(DataError, reason, says):
        import_votes(file, [run], log, "nobody", LabelFields(), KEY)
    assert not log.content.pairs


def test_a_prediction_that_is_no_text_names_no_query(
    open_session: OpenSession, run: Run, tmp_path: Path
) -> None:
    log = open_session().log
    file = tmp_path / "sheet.jsonl"
    file.write_text(json.dumps({"id": "q0", "annotator": "ann", "label": 1, "prediction": 5}))
    assert import_votes(file, [run], log, "nobody", LabelFields(), KEY) == {"added": 1}


def test_labels_of_experts_count_for_their_own_prediction_only(
    open_session: OpenSession, label: Label, tmp_path: Path
) -> None:
    """As ROSE's file has them: a label, and the prediction that it is about."""
    open_session().log.close()
    file = tmp_path / "rose.jsonl"
    records = [
        {"id": "q0", "prediction": "select  count(name) from item", "label": True},
        {"id": "q1", "prediction": "SELECT something_else", "label": False},
    ]
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    assert "1 left out: the runs have another prediction" in label("--import", str(file))
    votes = [*open_session().log.content.pairs.values()]
    assert [(one.id, one.votes["rose"].label) for one in votes] == [("q0", "right")]


def test_columns_of_annotators_are_votes_of_each(
    open_session: OpenSession, label: Label, tmp_path: Path
) -> None:
    open_session().log.close()
    file = tmp_path / "wide.csv"
    file.write_text("id,ann,bob\nq0,1,0\nq1,0.5,\n")
    assert "3 added" in label("--import", str(file), "--votes", "ann", "--votes", "bob")
    content = open_session().log.content
    labels = {one.id: {n: v.label for n, v in one.votes.items()} for one in content.pairs.values()}
    assert labels == {"q0": {"ann": "right", "bob": "wrong"}, "q1": {"ann": "undecided"}}


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ("id,annotator,label\nq0,ann,1\nq0,bob,0\nq1,ann,gold wrong\nq1,bob,\n", ()),
        ("Id,Rater,Correct\nq0,ann,yes\nq0,bob,no\nq1,ann,gold_wrong\n", ()),
        (
            "id,who,vote\nq0,ann,right\nq0,bob,wrong\nq1,ann,gold-wrong\n",
            ("--label-field", "vote", "--set", "annotator-field=who"),
        ),
        ("id,ann,bob\nq0,1,0\nq1,gold_wrong,\n", ("--votes", "ann", "--votes", "bob")),
    ],
)
def test_a_sheet_says_the_same_to_label_and_to_agree(
    open_session: OpenSession, label: Label, tmp_path: Path, table: str, options: tuple[str, ...]
) -> None:
    open_session().log.close()
    file = tmp_path / "sheet.csv"
    file.write_text(table)
    assert "3 added" in label("--import", str(file), *options)
    content = open_session().log.content
    labels = {one.id: {n: v.label for n, v in one.votes.items()} for one in content.pairs.values()}
    assert labels == {"q0": {"ann": "right", "bob": "wrong"}, "q1": {"ann": "gold_wrong"}}
    report = json.loads(label("--labels", str(file), *options, "--json", command="agree"))
    log = str(tmp_path / "labels" / "votes.jsonl")
    from_log = json.loads(label("--labels", log, "--json", command="agree"))
    assert report["metrics"] == from_log["metrics"]
    assert report["annotators"] == from_log["annotators"]
    exported = tmp_path / "votes.csv"
    label("--export-votes", str(exported))
    from_export = json.loads(label("--labels", str(exported), "--json", command="agree"))
    assert from_export["metrics"] == from_log["metrics"]


def test_rose_labels_are_read(label: Label, data_root: Path) -> None:
    output = label("--import", str(data_root / "labels" / "rose_vec.jsonl"))
    assert "288 left out: the runs have no case of this id" in output


def test_an_offline_page_says_how_many_cases_are_left_out(label: Label, tmp_path: Path) -> None:
    output = label("--annotators", "cai", "--offline", str(tmp_path / "cai.html"))
    assert "(6 items)" in output
    assert "left out: 1 case without two queries to compare (no SQL, or no gold)" in output


def test_an_offline_page_does_not_know_the_gold_and_its_votes_come_back(
    label: Label, run: Run, tmp_path: Path
) -> None:
    page, downloaded = tmp_path / "cai.html", tmp_path / "votes-cai.jsonl"
    label("--annotators", "cai", "--offline", str(page))
    (text,) = re.findall(r'id="page-data">(.*?)</script>', page.read_text(), re.DOTALL)
    data = json.loads(text)
    digests = {pair_of(result) for result in run.results()}
    for item in data["items"]:
        assert "first" not in item
        assert item["pair"] not in digests
    choices = ("only_a", "only_b", "both", "undecided", "neither", "skip")
    records = [
        {
            "vote_schema": 1, "kind": "vote", "id": item["id"], "pair": item["pair"],
            "annotator": "cai", "at": "2026-01-01T12:00:00Z", "source": "offline",
            "choice": choice, "shown": {"first": "", "blind": True, "queue": data["queue"]},
        }
        for item, choice in zip(data["items"], choices, strict=True)
    ]  # fmt: skip
    downloaded.write_text("".join(json.dumps(record) + "\n" for record in records))
    with refuses_data(DataError, "wrong_kind", "line 1", "an offline page", "--import"):
        read_labels(downloaded)
    elsewhere = [
        "label",
        str(run.folder),
        "--import",
        str(downloaded),
        "--out",
        str(tmp_path / "x"),
    ]
    output = CliRunner().invoke(sqlverdict, elsewhere).output
    assert "6 left out: the offline page is not of this label folder" in output
    assert "6 added" in label("--import", str(downloaded))
    assert "6 in the log already" in label("--import", str(downloaded))
    key = open_key(tmp_path / "labels")
    content = VoteLogContent(read_events(tmp_path / "labels" / "votes.jsonl"))
    assert {*content.pairs} <= digests
    for record in records:
        (pair,) = [
            p for p in content.pairs if key.pair_id(token_subject("cai"), p) == record["pair"]
        ]
        vote, first = content.pairs[pair].votes["cai"], first_side(key.secret, pair, "cai")
        assert vote.label == label_of_choice(record["choice"], first)
        assert (vote.display.first, vote.choice) == (first, "")
        # The page does not know how its items were chosen: the runs say it again.
        assert vote.stratum
        assert (vote.stratum_size >= 1, vote.sampling_probability) == (True, 1.0)


def test_a_key_is_private_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    key = open_key(tmp_path / "labels")
    assert open_key(tmp_path / "labels") == key
    path = tmp_path / "labels" / KEY_FILE
    path.chmod(0o644)
    assert open_key(tmp_path / "labels").token("ann") == key.token("ann") != key.token("bob")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    contents: dict[str, DataReason] = {
        "": "unreadable",
        "{}": "unreadable",
        "[1]": "unreadable",
        '{"secret": "eA==", "port": 0}': "changed",
    }
    for content, reason in contents.items():
        path.write_text(content)
        with refuses_data(DataError, reason, KEY_FILE, "Remove it"):
            open_key(tmp_path / "labels")
