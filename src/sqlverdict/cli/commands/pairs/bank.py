"""Manage the bank of counterexample databases, and make test suites of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from sqlverdict.cli.command import HeadedOption, argument, command, examples_text, option
from sqlverdict.cli.options.shared import FILE, FOLDER, json_option, print_json
from sqlverdict.errors import DatabaseError, UsageError
from sqlverdict.files.text import count, few_of
from sqlverdict.refute.bank.store import Bank
from sqlverdict.refute.bank.suite import distil, export_bank, export_suite, import_bank
from sqlverdict.report.terminal.console import Screen
from sqlverdict.report.terminal.tables import table

_EXAMPLES = (
    "sqlverdict bank                          # what is in it",
    "sqlverdict bank export bank.jsonl",
    "sqlverdict bank import bank.jsonl",
    "sqlverdict bank suite suites --distil    # suites/<db_id>/<n>.sqlite for the metric ts",
)


@click.group(invoke_without_command=True, epilog=examples_text(_EXAMPLES))
@click.option(
    "--bank",
    "file",
    cls=HeadedOption,
    type=FILE,
    help="The bank's file. [default: $SQLVERDICT_BANK, else in the cache]",
)
@click.pass_context
def bank(ctx: click.Context, file: Path | None) -> None:
    """Databases on which earlier pairs differed. They are tried first on later pairs.

    Without a command: list.
    """
    ctx.meta["bank"] = file
    if ctx.invoked_subcommand is None:
        _list(as_json=False)


@dataclass(frozen=True, kw_only=True)
class BankListArgs:
    """The options of ``bank list``."""

    as_json: bool = json_option()


@command(BankListArgs, name="list", parent=bank)
def list_databases(args: BankListArgs) -> None:
    """List the databases, their instances and the pairs that differ on them."""
    _list(as_json=args.as_json)


def _list(*, as_json: bool) -> None:
    with _open_bank() as opened:
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


@dataclass(frozen=True, kw_only=True)
class FileArgs:
    """The options of ``bank export`` and ``bank import``."""

    file: Path = argument(type=FILE, metavar="FILE")


@command(FileArgs, parent=bank)
def export(args: FileArgs) -> None:
    """Write all instances to FILE as JSON lines."""
    with _open_bank() as opened:
        click.echo(f"{count(export_bank(opened, args.file), 'instance')} written to {args.file}")


@command(FileArgs, name="import", parent=bank)
def import_instances(args: FileArgs) -> None:
    """Add the instances of FILE, which `bank export` wrote."""
    with _open_bank() as opened:
        read = import_bank(opened, args.file)
        if opened.problem:
            raise DatabaseError(opened.problem)
        click.echo(f"{count(read, 'instance')} read from {args.file} into {opened.path}")


@dataclass(frozen=True, kw_only=True)
class SuiteArgs:
    """The options of ``bank suite``."""

    folder: Path = argument(type=FOLDER, metavar="FOLDER")
    db_ids: tuple[str, ...] = option(
        "--db-id", multiple=True, help="Only this database. Repeatable."
    )
    distil: bool = option(
        "--distil", is_flag=True, help="First run every recorded pair on every instance."
    )


@command(SuiteArgs, parent=bank)
def suite(args: SuiteArgs) -> None:
    """Write the fewest databases that refute all recorded pairs: FOLDER/<db_id>/<n>.sqlite."""
    with _open_bank() as opened:
        schemas = [s for s in opened.schemas() if not args.db_ids or s.db_id in args.db_ids]
        unknown = sorted(set(args.db_ids) - {schema.db_id for schema in schemas})
        if unknown:
            raise UsageError(f"the bank has nothing of {few_of(unknown)}; see sqlverdict bank")
        if args.distil:
            for schema in schemas:
                distil(opened, schema)
        files = export_suite(opened, args.folder, schemas)
    click.echo(f"{count(len(files), 'database')} written below {args.folder}")


def _open_bank() -> Bank:
    """The bank of ``--bank``."""
    file: Path | None = click.get_current_context().meta.get("bank")
    return Bank(file)
