"""Replay witnesses: run both queries again and report whether they still differ."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.cli.command import argument, command, option
from sqlverdict.cli.options.shared import (
    ANY_PATH,
    REFERENCE,
    json_option,
    print_json,
    trust_role_setting,
)
from sqlverdict.errors import DatabaseError, DataError, UsageError
from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import TableExcerpt
from sqlverdict.refute.explain.evidence import answer_excerpt, excerpt_rows, witness_record
from sqlverdict.refute.target.script import replay_script
from sqlverdict.refute.witness_files import WitnessReplay, is_of_sqlite
from sqlverdict.refute.witness_files import replay as replay_file
from sqlverdict.report.one_run.witness import witness_lines
from sqlverdict.report.terminal.console import Screen

_EXAMPLES = (
    "sqlverdict replay witnesses/17.sql",
    "sqlverdict replay witnesses              # every witness in the folder",
    "sqlverdict replay witnesses/17.sqlite --preset bird --json",
    "sqlverdict replay runs/mine/witnesses --db postgresql://localhost/test",
)
_AGREE = "the two queries return the same rows now"


@dataclass(frozen=True, kw_only=True)
class ReplayArgs:
    """The options of ``replay``."""

    files: tuple[Path, ...] = argument(nargs=-1, required=True, type=ANY_PATH, metavar="FILE...")
    preset: str | None = option(
        "--preset", help="Compare under this preset. [default: the file's own]"
    )
    db: str | None = option(
        "--db",
        type=REFERENCE,
        metavar="URL",
        help="For witnesses of a server: a database there, for temporary tables.",
    )
    trust_role: bool = trust_role_setting()
    as_json: bool = json_option()


@command(ReplayArgs, examples=_EXAMPLES)
def replay(args: ReplayArgs) -> int:
    """Run the witnesses in FILE... (.sql, .sqlite, or folders of them) again.

    Nothing in a file is trusted: its database is rebuilt and queried under the engine's guards.
    For one witness, its rows and both answers are printed; for several, a line each.
    The exit code is 0 if all still differ, 1 if some do not, and 2 if a file is not a witness.
    """
    screen = Screen()
    records = []
    states: list[bool | None] = []
    paths = _witness_files(args.files)
    for path in paths:
        result = _replay(path, args)
        records.append(_record(path, result, args.preset))
        states.append(None if isinstance(result, str) else result.differ)
        if not args.as_json:
            _show(screen, path, result, alone=len(paths) == 1)
    if args.as_json:
        print_json(records)
    elif len(records) > 1:
        screen.line()
        screen.line(f"{states.count(True):,} of {len(records):,} still differ")
        line = shlex.join(["sqlverdict", "replay", str(paths[0])])
        screen.line(f"the rows of one witness: {line}", "quiet")
    return 2 if None in states else int(not all(states))


def _replay(path: Path, args: ReplayArgs) -> WitnessReplay | str:
    """One witness run again, or why it cannot be."""
    try:
        if is_of_sqlite(path):
            return replay_file(path, preset=args.preset)
        return replay_script(path, near=args.db, preset=args.preset, trust_role=args.trust_role)
    except (DataError, DatabaseError) as error:
        return str(error)


def _show(screen: Screen, path: Path, result: WitnessReplay | str, *, alone: bool) -> None:
    """What came of one witness; its rows too where it is the only one."""
    if isinstance(result, str):
        screen.line(f"{'error':<8} {path}: {result}", "bad")
        return
    word, style = ("differ", "good") if result.differ else ("AGREE", "bad")
    # The sentence says when they differ: it is no longer true of queries that agree.
    text = result.card.sentence if result.differ else result.comparison.message
    screen.line(f"{word:<8} {path}: {text or _AGREE}", style)
    if alone:
        screen.line()
        screen.line(f"gold:       {result.card.gold}")
        screen.line(f"prediction: {result.card.prediction}")
        screen.line()
        for line in witness_lines(_as_evidence(result)):
            screen.line(line)


def _as_evidence(result: WitnessReplay) -> Refuted:
    """What the queries return on the witness now."""
    return Refuted(
        "replay",
        grade=result.card.grade,
        rows={
            table.name: TableExcerpt(table.columns, tuple(excerpt_rows(table.rows)))
            for table in result.tables
        },
        gold=answer_excerpt(result.gold),
        prediction=answer_excerpt(result.prediction),
    )


def _record(path: Path, result: WitnessReplay | str, preset: str | None) -> dict[str, Any]:
    """One witness run again, as JSON has it."""
    if isinstance(result, str):
        return {"file": str(path), "differ": None, "message": result}
    witness = witness_record(_as_evidence(result))
    return {
        "file": str(path),
        "differ": result.differ,
        "preset": preset or result.card.preset,
        "sentence": result.card.sentence,
        "reasons": [str(reason) for reason in result.comparison.reasons],
        "message": result.comparison.message,
        **{name: witness[name] for name in ("rows", "gold", "prediction")},
    }


def _witness_files(paths: Sequence[Path]) -> list[Path]:
    """The files, and those in the folders.

    Raises:
        UsageError: a folder has no witness.
    """
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.suffix in (".sql", ".sqlite"))
        if not inside:
            raise UsageError(f"{path} has no .sql and no .sqlite file; give a folder of witnesses")
        files += inside
    return files
