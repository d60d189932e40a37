"""Look after the bank of databases that told queries apart; make test suites of it."""

from __future__ import annotations

from pathlib import Path

import click

from sqlverdict.cli.options.common import FILE, FOLDER, as_json, examples, print_json


@click.group(
    invoke_without_command=True,
    epilog=examples(
        "sqlverdict bank                          # what is in it",
        "sqlverdict bank export bank.jsonl",
        "sqlverdict bank import bank.jsonl",
        "sqlverdict bank suite suites --distil    # suites/<db_id>/<n>.sqlite for the metric ts",
    ),
)
@click.option("--file", type=FILE, help="The bank. [default: SQLVERDICT_BANK, else in the cache]")
@click.pass_context
def bank(ctx: click.Context, file: Path | None) -> None:
    """Databases that separated earlier pairs, tried first on later ones.

    Without a command: list.
    """
    ctx.meta["bank"] = file
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_)


@bank.command("list")
@as_json
def list_(as_json: bool = False) -> None:
    """List the databases, their instances and the pairs they separated."""
    from sqlverdict.files.text import count
    from sqlverdict.refute.bank.store import Bank
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import table

    with Bank(_file()) as opened:
        rows = opened.counts()
        path, size, problem = opened.path, opened.size, opened.problem
    if as_json:
        held = [{"db_id": d, "instances": i, "pairs": p} for d, i, p in rows]
        print_json({"file": path, "bytes": size, "problem": problem, "databases": held})
        return
    screen = Screen()
    screen.line(f"{path}: {count(sum(i for _, i, _ in rows), 'instance')}, {size:,} bytes")
    if problem:
        screen.line(f"note: {problem}", "warning")
    screen.table(
        table(("database", "instances", "pairs"), [(d, f"{i:,}", f"{p:,}") for d, i, p in rows])
    )


@bank.command("export")
@click.argument("target", type=FILE, metavar="FILE")
def export(target: Path) -> None:
    """Write all instances to FILE as JSON lines."""
    from sqlverdict.files.text import count
    from sqlverdict.refute.bank.store import Bank
    from sqlverdict.refute.bank.suite import export_bank

    with Bank(_file()) as opened:
        click.echo(f"{count(export_bank(opened, target), 'instance')} written to {target}")


@bank.command("import")
@click.argument("source", type=FILE, metavar="FILE")
def import_(source: Path) -> None:
    """Add the instances of FILE, which `bank export` wrote."""
    from sqlverdict.errors import DatabaseError
    from sqlverdict.files.text import count
    from sqlverdict.refute.bank.store import Bank
    from sqlverdict.refute.bank.suite import import_bank

    with Bank(_file()) as opened:
        read = import_bank(opened, source)
        if opened.problem:
            raise DatabaseError(opened.problem)
        click.echo(f"{count(read, 'instance')} read from {source} into {opened.path}")


@bank.command("suite")
@click.argument("folder", type=FOLDER, metavar="FOLDER")
@click.option("--db-id", "db_ids", multiple=True, help="Only this database; repeatable.")
@click.option("--distil", is_flag=True, help="First ask every instance about every pair.")
def suite(folder: Path, db_ids: tuple[str, ...], distil: bool) -> None:
    """Write the fewest databases that refute all recorded pairs: FOLDER/<db_id>/<n>.sqlite."""
    from sqlverdict.errors import UsageError
    from sqlverdict.files.text import count, listed
    from sqlverdict.refute.bank import suite as suites
    from sqlverdict.refute.bank.store import Bank

    with Bank(_file()) as opened:
        schemas = [s for s in opened.schemas() if not db_ids or s.db_id in db_ids]
        unknown = sorted(set(db_ids) - {schema.db_id for schema in schemas})
        if unknown:
            raise UsageError(f"the bank holds nothing of {listed(unknown)}; see sqlverdict bank")
        if distil:
            for schema in schemas:
                suites.distil(opened, schema)
        written = suites.export_suite(opened, folder, schemas)
    click.echo(f"{count(len(written), 'database')} written below {folder}")


def _file() -> Path | None:
    found: Path | None = click.get_current_context().meta.get("bank")
    return found
