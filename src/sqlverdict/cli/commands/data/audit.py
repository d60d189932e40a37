"""Find golds that deserve a second look, from what systems answered, with the evidence."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sqlverdict.cli.options.common import (
    ANY_PATH,
    FILE,
    as_json,
    examples,
    print_json,
    run_arguments,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlverdict.audit.gold import Audit
    from sqlverdict.audit.gold_report import Rerun
    from sqlverdict.execute.query_runner import QueryRunner

_EXAMPLES = examples(
    "sqlverdict audit runs/a runs/b runs/c",
    "sqlverdict audit runs/* --benchmark bird --root bird --out suspects.md",
    "sqlverdict audit runs/* --benchmark bird --root bird --execute --jsonl suspects.jsonl",
)


@click.command(epilog=_EXAMPLES)
@run_arguments
@click.option("--benchmark", metavar="NAME", help="The benchmark of the runs, for its knowledge.")
@click.option("--root", type=ANY_PATH, help="The benchmark's folder, or its file.")
@click.option("--split", default="dev", show_default=True, help="Which part of the benchmark.")
@click.option("--cases", type=FILE, help="Its cases as JSONL or CSV, instead of a benchmark.")
@click.option("--databases", type=ANY_PATH, help="Where the databases lie.")
@click.option("--schema", type=ANY_PATH, help="Schemas or databases, to read queries by.")
@click.option("--execute", is_flag=True, help="Run golds and predictions again.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds that one query may take with --execute.",
)
@click.option("--suspicion", "only", multiple=True, help="Repeatable: list these only.")
@click.option(
    "--min-rank",
    type=click.FloatRange(0, 1),
    default=0.3,
    show_default=True,
    help="Leave out golds that are wrong with less than this probability.",
)
@click.option("--show", type=click.IntRange(0), default=10, show_default=True, help="Golds shown.")
@click.option("--out", type=FILE, help="Write all of them as Markdown here.")
@click.option("--jsonl", type=FILE, help="Write all of them as JSONL here.")
@as_json
def audit(runs: tuple[Path, ...], **said: Any) -> None:
    """Say which golds of the runs are under suspicion, the most suspect first.

    The rank of a gold is the probability that it is wrong, by a model fitted to people's labels:
    how many systems match it, how many agree on another answer, signs of a mistake in its query.
    Each suspicion comes with its evidence. Several runs tell more than one, and --execute tells
    more than run folders. A gold under suspicion may be right.

    Reads run folders alone; with --benchmark or --cases also the questions' knowledge, and with
    --execute it runs the queries again on the benchmark's databases.
    """
    from sqlverdict.audit.gold import suspect_golds
    from sqlverdict.runlog.run import read_run

    opened = [read_run(folder) for folder in runs]
    cases = _Cases(said)
    schemas = _schemas(said, cases.databases)
    desk = _desk(said)
    try:
        found = suspect_golds(
            opened,
            knowledge=cases.knowledge,
            schemas=schemas,
            rerun=_rerun(desk, cases.databases, said) if desk is not None else None,
            only=said["only"],
            at_least=said["min_rank"],
        )
    finally:
        if desk is not None:
            desk.close()
    _write(found, said)
    if said["as_json"]:
        print_json(
            {
                "golds": found.golds,
                "systems": found.systems,
                "counts": found.counts,
                "notes": found.notes,
                "suspects": [suspect.as_record() for suspect in found.suspects],
            }
        )
        return
    _show(found, said["show"], said["min_rank"])


class _Cases:
    """What an audit needs of the benchmark: its knowledge and its databases, not its cases."""

    def __init__(self, said: dict[str, Any]) -> None:
        from sqlverdict.cli.options.inputs import DataInputs, read_benchmark

        self.knowledge: dict[str, str] | None = None
        self.databases: dict[str, str] = {}
        if said["benchmark"] is None and said["cases"] is None:
            return
        names = ("benchmark", "root", "split", "cases", "databases")
        for case in read_benchmark(DataInputs(**{name: said[name] for name in names})).cases:
            self.knowledge = {} if self.knowledge is None else self.knowledge
            # A case without an entry has none.
            if case.knowledge:
                self.knowledge[case.id] = case.knowledge
            if case.database is not None:
                self.databases[case.db_id] = case.database


def _schemas(said: dict[str, Any], databases: Mapping[str, str]) -> Any:
    from sqlverdict.errors import SchemaError
    from sqlverdict.parse.schemas.load import load_schemas
    from sqlverdict.parse.schemas.sqlite import read_sqlite

    path = said["schema"] or said["databases"]
    if path is not None:
        return load_schemas(path)
    found = {}
    for db_id, file in databases.items() if said["execute"] else ():
        # A database that cannot be read says so when a query runs on it.
        with suppress(SchemaError, OSError):
            found[db_id] = read_sqlite(file)
    return found or None


def _desk(said: dict[str, Any]) -> QueryRunner | None:
    if not said["execute"]:
        return None
    from sqlverdict.errors import UsageError
    from sqlverdict.execute.cache import AnswerCache, default_path
    from sqlverdict.execute.engine import Limits
    from sqlverdict.execute.query_runner import QueryRunner

    if said["databases"] is None and said["benchmark"] is None and said["cases"] is None:
        raise UsageError("--execute needs the databases: give --databases DIR, or the --benchmark")
    return QueryRunner("sqlite", Limits(seconds=said["timeout"]), AnswerCache(default_path()))


def _rerun(desk: QueryRunner, known: Mapping[str, str], said: dict[str, Any]) -> Rerun:
    from sqlverdict.load.databases import DatabaseFolder
    from sqlverdict.records import Outcome

    folder = DatabaseFolder(said["databases"]) if said["databases"] is not None else None

    def run(db_id: str, sql: str) -> Outcome | None:
        path = known.get(db_id)
        if path is None or not Path(path).is_file():
            path = folder.path(db_id) if folder is not None else None
        return desk.run(path, sql) if path is not None else None

    return run


def _write(found: Audit, said: dict[str, Any]) -> None:
    import msgspec

    from sqlverdict.audit.gold_markdown import audit_text

    if said["out"] is not None:
        with said["out"].open("w", encoding="utf-8", errors="backslashreplace") as stream:
            stream.writelines(audit_text(found))
        click.echo(f"written: {said['out']}", err=True)
    if said["jsonl"] is not None:
        with said["jsonl"].open("wb") as lines:
            for suspect in found.suspects:
                lines.write(msgspec.json.encode(suspect.as_record()) + b"\n")
        click.echo(f"written: {said['jsonl']}", err=True)


def _show(found: Audit, most: int, least: float) -> None:
    from sqlverdict.audit.suspicion import SUSPICIONS
    from sqlverdict.cli.show_run import show_notes
    from sqlverdict.files.text import count
    from sqlverdict.report.terminal.console import Screen
    from sqlverdict.report.terminal.tables import short, table

    screen = Screen()
    systems = count(len(found.systems), "system")
    screen.line(
        f"{count(len(found.suspects), 'gold')} of {found.golds:,} under suspicion, {systems}; "
        f"wrong with a probability of {least:g} or more",
        "heading",
    )
    rows = [(SUSPICIONS.get(name).title, f"{number:,}") for name, number in found.counts.items()]
    screen.table(
        table(
            ("suspicion", "golds"), rows, "Suspicions at any probability; a gold may have several"
        )
    )
    for suspect in found.suspects[:most]:
        screen.line()
        screen.line(
            f"{suspect.id} ({suspect.db_id}): wrong with probability {suspect.rank:.2f}", "heading"
        )
        screen.line(f"  {short(suspect.question, 160)}")
        for gold in suspect.gold:
            screen.line(f"  gold  {short(gold, 160)}", "quiet")
        for raising in suspect.raised_by:
            screen.line(f"  odds x{raising.odds:.1f}: {short(raising.feature.words, 160)}")
        for one in suspect.suspicions:
            screen.line(f"  {one.name}: {short(one.message, 200)}")
    if len(found.suspects) > most:
        screen.line()
        screen.line(f"{len(found.suspects) - most:,} more (--show, --out FILE.md, --jsonl FILE)")
    show_notes(screen, found.notes)
