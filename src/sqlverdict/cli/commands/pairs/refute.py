"""Search for a small database on which two queries differ."""

from __future__ import annotations

from sqlverdict.cli.command import command
from sqlverdict.cli.options.pair import PairArgs, check_queries, search, write_witness
from sqlverdict.cli.options.shared import print_json
from sqlverdict.cli.show_pair import refutation_json, show_refutation
from sqlverdict.errors import NothingEvaluated
from sqlverdict.refute.witness import NotRefuted
from sqlverdict.report.terminal.console import Screen

_EXAMPLES = (
    "sqlverdict refute 'SELECT count(*) FROM singer' 'SELECT count(age) FROM singer' \\",
    "    --db concert_singer.sqlite",
    "sqlverdict refute @gold.sql @mine.sql --schema tables.json --db-id concert_singer",
    "sqlverdict refute @gold.sql @mine.sql --schema schema.sql --out witnesses",
)


@command(PairArgs, examples=_EXAMPLES)
def refute(args: PairArgs) -> int:
    """Search for a legal database on which GOLD and PRED return different answers.

    GOLD and PRED are SQL, or @FILE. A witness is reduced to a few rows and explained. If the
    search finds none, it reports on how many databases the two agreed; that does not show that
    they are equal. The exit code is 0 in both cases, 2 if a query does not parse or run, and 3 if
    no search was possible.
    """
    pair = args.read()
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
