"""Runs of older schemas load as what they were: the same words, figures and labels.

``old_runs`` holds runs of 19 and 21 cases, written by versions with these schemas, with what those
versions said of each case (``evidence.txt``).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from sqlverdict.cli.main import sqlverdict
from sqlverdict.errors import RunLogError
from sqlverdict.evidence import Judged, Proved, Related, Signs
from sqlverdict.report.one_run.case import because, evidence_lines
from sqlverdict.runlog.log import RESULTS, encode_result, read_results
from sqlverdict.runlog.old_schemas import decode_old
from sqlverdict.runlog.run import check_summary, read_run

FOLDER = Path(__file__).parent / "old_runs"
RUNS = sorted(FOLDER.iterdir())


def words(folder: Path) -> str:
    run, lines = read_run(folder), []
    for result in run.results():
        lines.append(f"{result.id}: {run.verdict(result)} {because(result)}".rstrip())
        lines += [f"  {line}" for line in evidence_lines(result)]
    return "\n".join(lines) + "\n"


def invoke(*arguments: object) -> str:
    result = CliRunner().invoke(sqlverdict, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_an_old_run_says_what_it_said(folder: Path) -> None:
    assert words(folder) == (folder / "evidence.txt").read_text("utf-8")
    check_summary(read_run(folder))


def test_the_old_runs_hold_every_kind_of_evidence() -> None:
    kinds = {type(piece).__name__ for folder in RUNS for piece in _pieces(folder)}
    assert kinds >= {
        *("Proved", "Refuted", "Tested", "Related", "Failed", "Judged", "Undecided"),
        *("Signs", "Recorded", "OpenQuestion"),
    }


def _pieces(folder: Path) -> list[object]:
    return [piece for result in read_run(folder).results() for piece in result.evidence]


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_an_old_run_can_be_written_anew(folder: Path, tmp_path: Path) -> None:
    before = list(read_results(folder))
    lines = [encode_result(result) for result in before]
    (tmp_path / RESULTS).write_bytes(b"\n".join(lines) + b"\n")
    assert [json.loads(line)["evidence"] for line in lines if b"rung" in line] == []
    after = [msgspec.json.decode(line, type=type(before[0])) for line in lines]
    assert after == before


@pytest.mark.slow
def test_commands_read_old_runs(tmp_path: Path) -> None:
    first, second, judged = RUNS
    case = "observatory-06"
    assert "extra_columns" in invoke("show", second, case)
    assert "verdict" in invoke("compare", second, judged)
    assert "rough" in invoke("leaderboard", second)
    assert "1 condition met" in invoke("check", second, "--min", "ex=0.1")
    labels = tmp_path / "labels.jsonl"
    ids = [result.id for result in read_results(judged)]
    labels.write_text("".join(json.dumps({"id": name, "human": 1}) + "\n" for name in ids))
    assert "flex" in invoke("agree", judged, "--labels", labels)
    assert "judged by replay" in invoke("show", first, case)


@pytest.mark.parametrize("schema", [1, 2])
def test_evidence_of_other_programs_may_lack_fields(schema: int) -> None:
    rungs = ("proved", "refuted", "tested", "related", "judged", "unknown")
    evidence: list[dict[str, object]] = [{"rung": rung, "by": "x"} for rung in rungs]
    evidence.append({"rung": "unknown", "by": "signs", "detail": {"gold": [{"name": "s"}]}})
    line = _line(schema, evidence)
    pieces = decode_old(msgspec.json.encode(line)).evidence
    assert [type(piece) for piece in pieces[:1]] == [Proved]
    assert isinstance(pieces[3], Related)
    assert isinstance(pieces[4], Judged)
    assert pieces[4].metrics == ("verdict",)
    assert isinstance(pieces[-1], Signs)


def test_old_evidence_of_no_known_form_is_refused_with_its_line(tmp_path: Path) -> None:
    for detail in ({"relations": [1]}, {"shape": 3}):
        line = _line(1, [{"rung": "related", "by": "compare", "detail": detail}])
        (tmp_path / RESULTS).write_bytes(msgspec.json.encode(line) + b"\n")
        with pytest.raises(RunLogError, match="line 1: evidence of no known form"):
            list(read_results(tmp_path))


def test_a_newer_schema_is_refused_whatever_its_evidence(tmp_path: Path) -> None:
    line = _line(4, [{"type": "divined", "by": "x"}])
    (tmp_path / RESULTS).write_bytes(msgspec.json.encode(line) + b"\n")
    with pytest.raises(RunLogError, match="schema 4; this version reads up to 3"):
        list(read_results(tmp_path))


def test_a_changed_line_of_an_old_run_is_refused(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "schema_2", tmp_path / "run")
    log = tmp_path / "run" / RESULTS
    log.write_text(log.read_text("utf-8").replace('"grade":"ordinary"', '"grade":"ungraded"', 1))
    with pytest.raises(RunLogError, match="was changed after it was written"):
        list(read_results(tmp_path / "run"))


def _line(schema: int, evidence: list[dict[str, object]]) -> dict[str, object]:
    return {
        "index": 0,
        "id": "a",
        "db_id": "d",
        "question": "",
        "gold": ["SELECT 1"],
        "prediction": "SELECT 1",
        "abstained": False,
        "verdict": "correct",
        "evidence": evidence,
        "schema": schema,
    }
