"""Search for a small database on which two queries differ, or replay such witnesses."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import Heading, argument, option
from sqlverdict.cli.options.pair import WitnessArgs, check_queries, search, write_witness
from sqlverdict.cli.options.shared import check_not_empty, options_on_line, print_json
from sqlverdict.cli.show_pair import refutation_json, show_refutation
from sqlverdict.errors import DatabaseError, DataError, NothingEvaluated, UsageError
from sqlverdict.evidence import Refuted
from sqlverdict.evidence_parts import TableExcerpt
from sqlverdict.refute.explain.evidence import answer_excerpt, excerpt_rows, witness_record
from sqlverdict.refute.target.script import replay_script
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.refute.witness_files import WitnessReplay, is_of_sqlite, replay
from sqlverdict.report.one_run.witness import witness_lines
from sqlverdict.report.terminal.console import Screen

_EXAMPLES = (
    "sqlverdict refute 'SELECT count(*) FROM singer' 'SELECT count(age) FROM singer' \\",
    "    --db concert_singer.sqlite",
    "sqlverdict refute @gold.sql @mine.sql --schema tables.json --db-id concert_singer",
    "sqlverdict refute @gold.sql @mine.sql --schema schema.sql --out witnesses",
    "sqlverdict refute --replay witnesses/17.sql",
    "sqlverdict refute --replay witnesses             # every witness in the folder",
    "sqlverdict refute --replay witnesses/17.sqlite --preset bird --json",
    "sqlverdict refute --replay runs/mine/witnesses --db postgresql://localhost/test",
)
_AGREE = "the two queries return the same rows now"
_OF_REPLAY = ("replay", "preset", "db", "trust_role", "as_json")
"""The options that ``--replay`` reads."""


@dataclass(frozen=True, kw_only=True)
class RefuteArgs(WitnessArgs):
    """The options of ``refute``."""

    texts: tuple[str, ...] = argument(metavar="GOLD PRED | FILE...", nargs=-1, required=True)
    replay: bool = option(
        "--replay",
        is_flag=True,
        heading=Heading.DATA,
        help="Run the witnesses in these files or folders again, without queries.",
    )


@command(RefuteArgs, examples=_EXAMPLES)
def refute(args: RefuteArgs) -> int:
    """Search for a legal database on which GOLD and PRED return different answers.

    GOLD and PRED are SQL, or @FILE. A witness is reduced to a few rows and explained. If the
    search finds none, it reports on how many databases the two agreed; that does not show that
    they are equal. The exit code is 0 in both cases, 2 if a query does not parse or run, and 3 if
    no search was possible.

    With --replay, give the files of witnesses (.sql, .sqlite, or folders of them) instead. Nothing
    in a file is trusted: its database is rebuilt and queried under the engine's guards. Answers
    are compared by the file's own preset, or by --preset; --db is a database that you may read on
    a server, for its witnesses. For one witness, its rows and both answers are printed; for
    several, a line each. The exit code is 0 if all still differ, 1 if some do not, and 2 if a file
    is not a witness.
    """
    if args.replay:
        return _replay(args)
    if len(args.texts) != 2:
        raise UsageError("give two queries, GOLD and PRED, or --replay FILE...")
    pair = args.read(*args.texts)
    check_queries(pair)
    refutation = search(pair, args.search)
    paths = []
    if not isinstance(refutation, NotRefuted):
        paths = write_witness(refutation, pair, args.search.preset, args.out)
    elif not refutation.instances and refutation.reason is not None:
        raise NothingEvaluated(
            f"no search could be made: {refutation.reason}: {refutation.message}"
        )
    if args.as_json:
        print_json(refutation_json(refutation, paths))
    else:
        show_refutation(Screen(), refutation, paths)
    return 0


def _replay(args: RefuteArgs) -> int:
    options = options_on_line()
    for name, spelling in options.items():
        if name not in _OF_REPLAY:
            raise UsageError(f"{spelling} is for a search: leave it out with --replay")
    preset = args.search.preset if "preset" in options else None
    screen = Screen()
    records = []
    states: list[bool | None] = []
    paths = _witness_files(args.texts)
    for path in paths:
        result = _replay_one(path, args, preset)
        records.append(_record(path, result, preset))
        states.append(None if isinstance(result, str) else result.differ)
        if not args.as_json:
            _show(screen, path, result, alone=len(paths) == 1)
    if args.as_json:
        print_json(records)
    elif len(records) > 1:
        screen.line()
        screen.line(f"{states.count(True):,} of {len(records):,} still differ")
        line = shlex.join(["sqlverdict", "refute", "--replay", str(paths[0])])
        screen.line(f"the rows of one witness: {line}", "quiet")
    return 2 if None in states else int(not all(states))


def _replay_one(path: Path, args: RefuteArgs, preset: str | None) -> WitnessReplay | str:
    """One witness run again, or why it cannot be."""
    try:
        if is_of_sqlite(path):
            return replay(path, preset=preset)
        source = args.source
        return replay_script(path, near=source.db, preset=preset, trust_role=source.trust_role)
    except (DataError, DatabaseError) as error:
        return str(error)


def _show(screen: Screen, path: Path, result: WitnessReplay | str, *, alone: bool) -> None:
    """Print the outcome of one replay; the witness's rows too where it is the only one."""
    if isinstance(result, str):
        screen.line(f"{'error':<8} {path}: {result}", "bad")
        return
    word, style = ("differ", "good") if result.differ else ("AGREE", "bad")
    # The sentence says when they differ: it is no longer true of queries that agree.
    text = result.header.sentence if result.differ else result.comparison.message
    screen.line(f"{word:<8} {path}: {text or _AGREE}", style)
    if alone:
        screen.line()
        screen.line(f"gold:       {result.header.gold}")
        screen.line(f"prediction: {result.header.prediction}")
        screen.line()
        for line in witness_lines(_as_evidence(result)):
            screen.line(line)


def _as_evidence(result: WitnessReplay) -> Refuted:
    """What the queries return on the witness now."""
    return Refuted(
        "replay",
        grade=result.header.grade,
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
        "preset": preset or result.header.preset,
        "sentence": result.header.sentence,
        "reasons": [str(reason) for reason in result.comparison.reasons],
        "message": result.comparison.message,
        **{name: witness[name] for name in ("rows", "gold", "prediction")},
    }


def _witness_files(texts: Sequence[str]) -> list[Path]:
    """The files, and those in the folders.

    Raises:
        UsageError: a folder has no witness, or a path is empty.
    """
    files: list[Path] = []
    for text in texts:
        check_not_empty(text, "the path of a witness")
        path = Path(text)
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.suffix in (".sql", ".sqlite"))
        if not inside:
            raise UsageError(f"{path} has no .sql and no .sqlite file; give a folder of witnesses")
        files += inside
    return files
