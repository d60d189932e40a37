"""Search for a small database on which two queries differ."""

from __future__ import annotations

from typing import Any

import click

from sqlverdict.cli.options.common import examples, print_json
from sqlverdict.cli.options.pair import pair_options


@click.command(
    epilog=examples(
        "sqlverdict refute 'SELECT count(*) FROM singer' 'SELECT count(age) FROM singer' \\",
        "    --db concert_singer.sqlite",
        "sqlverdict refute @gold.sql @mine.sql --schema tables.json --db-id concert_singer",
        "sqlverdict refute @gold.sql @mine.sql --schema schema.sql --out witnesses",
    )
)
@pair_options
def refute(**said: Any) -> int:
    """Look for a legal database on which GOLD and PRED give different answers.

    GOLD and PRED are SQL, or @FILE. A witness is shrunk to a few rows and explained. Not finding
    one says on how many databases the two agreed, and never that they are equal. Exit code 0 in
    both cases; 2 where a query does not parse or run; 3 where no search could be made.
    """
    from sqlverdict.cli.options.pair import (
        asked,
        problems,
        refutation_json,
        saved,
        search,
        show_refutation,
    )
    from sqlverdict.errors import NothingEvaluated, UsageError
    from sqlverdict.refute.witness import NotRefuted
    from sqlverdict.report.terminal.console import Screen

    given = asked(said)
    broken = problems(given)
    if broken:
        raise UsageError(". ".join(f"the {side} query: {why}" for side, why in broken.items()))
    found = search(given)
    if isinstance(found, NotRefuted) and not found.instances and found.reason is not None:
        raise NothingEvaluated(f"no search could be made: {found.reason}: {found.message}")
    paths = [] if isinstance(found, NotRefuted) else saved(given, found)
    if said["as_json"]:
        print_json(refutation_json(found, paths))
    else:
        show_refutation(Screen(), found, paths)
    return 0
