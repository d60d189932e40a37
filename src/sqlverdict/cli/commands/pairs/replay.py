"""Replay witnesses: run both queries again and report whether they still differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.cli.command import argument, command, option
from sqlverdict.cli.options.shared import ANY_PATH, REFERENCE, json_option, print_json
from sqlverdict.errors import DatabaseError, DataError, UsageError
from sqlverdict.refute.target.script import replay_script
from sqlverdict.refute.witness_files import is_of_sqlite
from sqlverdict.refute.witness_files import replay as replay_file
from sqlverdict.report.terminal.console import Screen

_EXAMPLES = (
    "sqlverdict replay witnesses/17.sql",
    "sqlverdict replay witnesses              # every witness in the folder",
    "sqlverdict replay witnesses/17.sqlite --preset bird --json",
    "sqlverdict replay runs/mine/witnesses --db postgresql://localhost/test",
)
_WORDS = {True: ("differ", "good"), False: ("AGREE", "bad"), None: ("error", "bad")}


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
    as_json: bool = json_option()


@command(ReplayArgs, examples=_EXAMPLES)
def replay(args: ReplayArgs) -> int:
    """Run the witnesses in FILE... (.sql, .sqlite, or folders of them) again.

    Nothing in a file is trusted: its database is rebuilt and queried under the engine's guards.
    The exit code is 0 if all still differ, 1 if some do not, and 2 if a file is not a witness.
    """
    screen = Screen()
    records = []
    for path in _witness_files(args.files):
        record = _replay(path, args)
        records.append(record)
        if not args.as_json:
            word, style = _WORDS[record["differ"]]
            text = record.get("sentence") or record["message"]
            screen.line(f"{word:<8} {path}: {text}", style)
    if args.as_json:
        print_json(records)
    states = [record["differ"] for record in records]
    if not args.as_json and len(records) > 1:
        screen.line()
        screen.line(f"{states.count(True):,} of {len(records):,} still differ")
    return 2 if None in states else int(not all(states))


def _replay(path: Path, args: ReplayArgs) -> dict[str, Any]:
    """One witness run again, as JSON has it."""
    try:
        if is_of_sqlite(path):
            result = replay_file(path, preset=args.preset)
        else:
            result = replay_script(path, near=args.db, preset=args.preset)
    except (DataError, DatabaseError) as error:
        return {"file": str(path), "differ": None, "message": str(error)}
    return {
        "file": str(path),
        "differ": result.differ,
        "preset": args.preset or result.card.preset,
        "sentence": result.card.sentence,
        "reasons": [str(reason) for reason in result.comparison.reasons],
        "message": result.comparison.message,
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
