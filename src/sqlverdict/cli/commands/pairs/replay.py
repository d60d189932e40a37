"""Replay witnesses: run both queries again and say whether they still differ."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from sqlverdict.cli.options.common import ANY_PATH, as_json, examples, print_json


@click.command(
    epilog=examples(
        "sqlverdict replay witnesses/17.sql",
        "sqlverdict replay witnesses              # every witness in the folder",
        "sqlverdict replay witnesses/17.sqlite --preset bird --json",
    )
)
@click.argument("files", nargs=-1, required=True, type=ANY_PATH, metavar="FILE...")
@click.option("--preset", help="Compare under this preset. [default: the file's own]")
@as_json
def replay(files: tuple[Path, ...], preset: str | None, as_json: bool) -> int:
    """Run the witnesses in FILE... (.sql, .sqlite, or folders of them) again.

    Nothing in a file is trusted: it is rebuilt and queried under the engine's guards. Exit code
    0 where all still differ, 1 where some do not, 2 where a file is no witness.
    """
    from sqlverdict.errors import DataError
    from sqlverdict.refute.witness_files import replay as run_again
    from sqlverdict.report.terminal.console import Screen

    found: list[dict[str, Any]] = []
    screen = Screen()
    for path in _files(files):
        try:
            again = run_again(path, preset=preset)
        except DataError as error:
            found.append({"file": str(path), "differ": None, "message": str(error)})
        else:
            found.append(
                {
                    "file": str(path),
                    "differ": again.differ,
                    "preset": preset or again.card.preset,
                    "sentence": again.card.sentence,
                    "reasons": [str(reason) for reason in again.comparison.reasons],
                    "message": again.comparison.message,
                }
            )
        if not as_json:
            word, style = _WORDS[found[-1]["differ"]]
            said = found[-1].get("sentence") or found[-1]["message"]
            screen.line(f"{word:<8} {path}: {said}", style)
    if as_json:
        print_json(found)
    states = [one["differ"] for one in found]
    if not as_json and len(found) > 1:
        screen.line()
        screen.line(f"{states.count(True):,} of {len(found):,} still differ")
    return 2 if None in states else int(not all(states))


_WORDS = {True: ("differ", "good"), False: ("AGREE", "bad"), None: ("error", "bad")}


def _files(given: Sequence[Path]) -> list[Path]:
    """The files named, and those in the folders named.

    Raises:
        UsageError: a folder holds no witness.
    """
    from sqlverdict.errors import UsageError

    files: list[Path] = []
    for path in given:
        if not path.is_dir():
            files.append(path)
            continue
        inside = sorted(p for p in path.iterdir() if p.suffix in (".sql", ".sqlite"))
        if not inside:
            raise UsageError(
                f"{path} holds no .sql and no .sqlite file; give a folder of witnesses"
            )
        files += inside
    return files
