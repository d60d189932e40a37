"""Manage the bank of counterexample databases, and make test suites of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.fields import option
from sqlverdict.cli.options.shared import FILE, FOLDER, json_option, print_json
from sqlverdict.errors import DatabaseError, UsageError
from sqlverdict.files.text import count, few_of
from sqlverdict.refute.bank.store import Bank
from sqlverdict.refute.bank.suite import distil, export_bank, export_suite, import_bank
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table

_EXAMPLES = (
    "sqlverdict bank                            # what is in it",
    "sqlverdict bank --export bank.jsonl",
    "sqlverdict bank --import bank.jsonl",
    "sqlverdict bank --suite suites --distil    # suites/<db_id>/<n>.sqlite for the metric ts",
)


@dataclass(frozen=True, kw_only=True)
class BankArgs:
    """The options of ``bank``."""

    bank: Path | None = option(
        "--bank",
        type=FILE,
        help="The bank's file. [default: $SQLVERDICT_BANK, else in the cache]",
    )
    export_to: Path | None = option(
        "--export", type=FILE, help="Write all instances to this file as JSON lines."
    )
    import_from: Path | None = option(
        "--import", type=FILE, help="Add the instances of this file, which --export wrote."
    )
    suite: Path | None = option(
        "--suite",
        type=FOLDER,
        help="Write the fewest databases that refute all recorded pairs to this folder.",
    )
    db_ids: tuple[str, ...] = option(
        "--db-id", multiple=True, help="With --suite: only this database. Repeatable."
    )
    distil: bool = option(
        "--distil",
        is_flag=True,
        help="With --suite: first run every recorded pair on every instance.",
    )
    as_json: bool = json_option()


@command(BankArgs, examples=_EXAMPLES)
def bank(args: BankArgs) -> None:
    """Databases on which earlier pairs differed. They are tried first on later pairs.

    Without --export, --import or --suite: list the databases, their instances and the pairs that
    differ on them.
    """
    actions = {"--export": args.export_to, "--import": args.import_from, "--suite": args.suite}
    names = [name for name, path in actions.items() if path is not None]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} cannot be combined: run the command once for each")
    if (args.db_ids or args.distil) and args.suite is None:
        raise UsageError("--db-id and --distil are for --suite FOLDER, which is missing")
    if args.as_json and names:
        raise UsageError(f"--json is for the list of databases: leave it out, or {names[0]}")
    with Bank(args.bank) as opened:
        if args.export_to is not None:
            number = count(export_bank(opened, args.export_to), "instance")
            click.echo(f"{number} written to {args.export_to}")
        elif args.import_from is not None:
            _import(opened, args.import_from)
        elif args.suite is not None:
            _write_suite(opened, args.suite, args)
        else:
            _list(opened, as_json=args.as_json)


def _list(opened: Bank, *, as_json: bool) -> None:
    rows = opened.counts()
    path, size, problem = opened.path, opened.size, opened.problem
    if as_json:
        databases = [{"db_id": d, "instances": i, "pairs": p} for d, i, p in rows]
        print_json({"file": path, "bytes": size, "problem": problem, "databases": databases})
        return
    screen = Screen()
    screen.line(f"{path}: {count(sum(i for _, i, _ in rows), 'instance')}, {size:,} bytes")
    if problem:
        screen.line(f"note: {problem}", "warning")
    screen.table(
        table(("database", "instances", "pairs"), [(d, f"{i:,}", f"{p:,}") for d, i, p in rows])
    )


def _import(opened: Bank, file: Path) -> None:
    number = import_bank(opened, file)
    if opened.problem:
        raise DatabaseError(opened.problem, reason="failed")
    click.echo(f"{count(number, 'instance')} read from {file} into {opened.path}")


def _write_suite(opened: Bank, folder: Path, args: BankArgs) -> None:
    schemas = [s for s in opened.schemas() if not args.db_ids or s.db_id in args.db_ids]
    unknown = sorted(set(args.db_ids) - {schema.db_id for schema in schemas})
    if unknown:
        raise UsageError(f"the bank has nothing of {few_of(unknown)}; see sqlverdict bank")
    if args.distil:
        for schema in schemas:
            distil(opened, schema)
    files = export_suite(opened, folder, schemas)
    click.echo(f"{count(len(files), 'database')} written below {folder}")
