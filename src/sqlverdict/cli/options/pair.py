"""What ``refute`` and ``pair`` share: two queries, a schema, a search, and how it is shown."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from sqlverdict.cli.options.common import ANY_PATH, FILE, FOLDER, as_json, null_keys

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Schema
    from sqlverdict.records import Outcome
    from sqlverdict.refute.witness import Refutation, Witness
    from sqlverdict.report.terminal.console import Screen

F = TypeVar("F", bound=Callable[..., Any])

SIDES = ("gold", "prediction")


def pair_options(command: F) -> F:
    """The arguments and options of a command about two queries."""
    for option in reversed(
        (
            click.argument("gold", metavar="GOLD"),
            click.argument("prediction", metavar="PRED"),
            click.option("--db", type=FILE, help="A SQLite database: its schema and its rows."),
            click.option("--schema", type=ANY_PATH, help="tables.json, .sql, DDL JSON, a folder."),
            click.option("--db-id", help="Which database, where --schema holds several."),
            null_keys,
            click.option("--preset", default="strict", show_default=True, help="How to compare."),
            click.option(
                "--instances",
                type=click.IntRange(1),
                default=160,
                show_default=True,
                help="How many databases may be tried.",
            ),
            click.option(
                "--seconds",
                type=click.FloatRange(0, min_open=True),
                default=120.0,
                show_default=True,
                help="The safety net of the search; its budget counts work.",
            ),
            click.option("--seed", type=int, default=0, show_default=True),
            click.option("--out", type=FOLDER, help="Write the witness here (.sql, .sqlite)."),
            click.option("--no-bank", is_flag=True, help="Neither try nor keep earlier witnesses."),
            as_json,
        )
    ):
        command = option(command)
    return command


@dataclass(frozen=True)
class PairRequest:
    """Two queries and what was asked about them."""

    gold: str
    prediction: str
    schema: Schema
    database: Path | None
    preset: str
    instances: int
    seconds: float
    seed: int
    out: Path | None
    bank: bool

    @property
    def queries(self) -> tuple[tuple[str, str], ...]:
        """Each side's name and query."""
        return tuple(zip(SIDES, (self.gold, self.prediction), strict=True))


def asked(said: dict[str, Any]) -> PairRequest:
    """Read the arguments.

    Raises:
        UsageError: there is no schema, or two, or no such preset.
        SchemaError: the schema cannot be read.
    """
    from sqlverdict.compare.preset import PRESETS

    PRESETS.get(said["preset"])
    return PairRequest(
        query_text(said["gold"]),
        query_text(said["prediction"]),
        one_schema(said["db"], said["schema"], said["db_id"], null_keys=said["null_keys"]),
        said["db"],
        said["preset"],
        said["instances"],
        said["seconds"],
        said["seed"],
        said["out"],
        not said["no_bank"],
    )


def query_text(text: str) -> str:
    """SQL, or ``@FILE`` for the SQL in a file.

    Raises:
        DataError: there is no such file.
    """
    from sqlverdict.errors import DataError
    from sqlverdict.files.text import read_text

    if not text.startswith("@"):
        return text.strip()
    return read_text(Path(text[1:]), DataError).strip()


def one_schema(
    db: Path | None, path: Path | None, db_id: str | None, *, null_keys: bool = False
) -> Schema:
    """The one schema that was asked for.

    Raises:
        UsageError: none is given, or several.
        SchemaError: it cannot be read.
    """
    from sqlverdict.errors import UsageError
    from sqlverdict.files.text import listed
    from sqlverdict.parse.schemas.load import load_schemas

    if (db is None) == (path is None):
        found = "neither" if db is None else "both"
        raise UsageError(f"{found} of --db and --schema given; give one, so that tables are known")
    schemas = load_schemas(db or path or "", db_id)
    if len(schemas) > 1:
        raise UsageError(
            f"{path} holds {len(schemas)} databases ({listed(sorted(schemas))}); "
            f"say which with --db-id"
        )
    return replace(next(iter(schemas.values())), null_keys=null_keys)


def problems(given: PairRequest) -> dict[str, str]:
    """Why a side cannot be worked with at all: it does not parse or does not run."""
    from sqlverdict.parse.query import parse
    from sqlverdict.records import Failure, ParseFailure, Reason
    from sqlverdict.refute.trial.rebuild import rebuild
    from sqlverdict.refute.witness import Instance

    session = rebuild(Instance(given.schema, {})).session()
    found = {}
    for side, sql in given.queries:
        query = parse(sql)
        if isinstance(query, ParseFailure) and query.reason is not Reason.UNSUPPORTED_FEATURE:
            found[side] = f"{query.reason}: {query.message}"
            continue
        outcome = session.run(sql)
        if isinstance(outcome, Failure):
            found[side] = f"{outcome.reason}: {outcome.message}"
    session.close()
    return found


def search(given: PairRequest) -> Refutation:
    """Search for a witness; a new one goes into the bank."""
    from sqlverdict.refute.bank.store import Bank
    from sqlverdict.refute.explain.sentence import sentence
    from sqlverdict.refute.search import find_witness
    from sqlverdict.refute.witness import NotRefuted, SearchBudget

    with ExitStack() as stack:
        bank = stack.enter_context(Bank()) if given.bank else None
        found = find_witness(
            given.gold,
            given.prediction,
            given.schema,
            budget=replace(
                SearchBudget(alike=1),
                instances=given.instances,
                seconds=given.seconds,
                seed=given.seed,
            ),
            preset=given.preset,
            first=bank.instances(given.schema) if bank is not None else (),
            database=given.database,
        )
        if isinstance(found, NotRefuted):
            return found
        if bank is not None:
            bank.add(found)
    return replace(found, sentence=found.sentence or sentence(found, preset=given.preset))


def saved(given: PairRequest, witness: Witness) -> list[Path]:
    """Write the witness to ``--out``, named after the two queries; nothing without it."""
    if given.out is None:
        return []
    from hashlib import blake2b

    from sqlverdict.refute.witness_files import write

    text = f"{given.gold}\0{given.prediction}".encode("utf-8", "backslashreplace")
    name = f"{given.schema.db_id}-{blake2b(text, digest_size=5).hexdigest()}"
    return list(write(witness, given.out, name, preset=given.preset))


def replay_line(paths: Sequence[Path]) -> str:
    """The command that runs a written witness again."""
    return shlex.join(["sqlverdict", "replay", str(paths[0])]) if paths else ""


def refutation_json(found: Refutation, paths: Sequence[Path]) -> dict[str, Any]:
    """A search's result as JSON."""
    from sqlverdict.refute.explain.sentence import evidence_of
    from sqlverdict.refute.witness import NotRefuted

    evidence = evidence_of(found)
    detail = dict(evidence.detail)
    reasons = [str(reason) for reason in evidence.reasons]
    if isinstance(found, NotRefuted):
        verdict = "not_refuted" if found.instances or found.reason is None else "unknown"
        return {"verdict": verdict, "reasons": reasons, **detail}
    files = [str(path) for path in paths]
    return {
        "verdict": "refuted",
        "reasons": reasons,
        **detail,
        "files": files,
        "replay": replay_line(paths),
    }


def show_refutation(screen: Screen, found: Refutation, paths: Sequence[Path]) -> None:
    """A search's result for people."""
    from sqlverdict.refute.witness import NotRefuted

    if isinstance(found, NotRefuted):
        screen.line(_not_refuted(found.instances, found.message), "warning")
        if found.undetermined:
            screen.line(
                f"on {found.undetermined:,} of them an answer depends on the order of rows, which "
                "shows nothing",
                "quiet",
            )
        return
    screen.line(f"refuted: {found.sentence}", "bad")
    if found.grade != "ungraded":
        screen.line(f"grade: {found.grade.replace('_', ' ')}")
    for broken in found.broken:
        screen.line(f"breaks: {broken}")
    show_rows(screen, found)
    screen.line()
    screen.line(
        f"found on database {found.instances_tried:,} ({found.origin}); reasons: "
        f"{', '.join(found.reasons) or 'none'}",
        "quiet",
    )
    if paths:
        screen.line(f"written to {' and '.join(str(path) for path in paths)}")
        screen.line(f"replay: {replay_line(paths)}")
    else:
        screen.line("keep it: the same command with --out FOLDER, then sqlverdict replay", "quiet")


def _not_refuted(count: int, message: str) -> str:
    if not count:
        return f"not searched: {message}"
    return f"not refuted on {count:,} database{'' if count == 1 else 's'}"


def show_rows(screen: Screen, witness: Witness) -> None:
    """A witness's rows and both answers, as small tables."""
    from sqlverdict.files.text import count
    from sqlverdict.refute.explain.sentence import rows_table
    from sqlverdict.refute.trial.literals import cell_text
    from sqlverdict.report.terminal.tables import table

    for shown in rows_table(witness):
        if not shown.rows or not shown.columns:
            screen.line()
            rows = count(len(shown.rows), "row") if shown.rows else "no row"
            screen.line(f"{shown.name}: {rows}", "quiet")
            continue
        cells = [tuple(map(cell_text, row)) for row in shown.rows]
        left = tuple(range(len(shown.columns)))
        screen.table(table(shown.columns, cells, shown.name, left))
    for side, outcome in zip(SIDES, (witness.gold, witness.prediction), strict=True):
        show_answer(screen, side, outcome)
    if witness.other is not None:
        show_answer(screen, "prediction in another legal order", witness.other)


def show_answer(screen: Screen, side: str, outcome: Outcome, most: int = 20) -> None:
    """What a query returned."""
    from sqlverdict.records import Answer
    from sqlverdict.refute.trial.literals import cell_text
    from sqlverdict.report.terminal.tables import table

    if not isinstance(outcome, Answer):
        screen.line()
        screen.line(f"{side} fails: {outcome.reason}: {outcome.message}", "bad")
    elif not outcome.rows:
        screen.line()
        screen.line(f"{side} returns no row")
    else:
        rows = [tuple(map(cell_text, row)) for row in outcome.rows[:most]]
        left = tuple(range(len(outcome.columns)))
        screen.table(table(outcome.columns, rows, f"{side} returns", left))
        if len(outcome.rows) > most:
            screen.line(f"... and {len(outcome.rows) - most:,} more rows", "quiet")
