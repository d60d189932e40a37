"""Label predictions in a browser: blind, by one key, by several annotators."""

from __future__ import annotations

import getpass
import shlex
import webbrowser
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from dataclasses import replace as dataclass_replace
from functools import partial
from itertools import islice
from pathlib import Path
from socket import socket

import click
from msgspec.structs import replace

from sqlverdict.cli.command import command
from sqlverdict.cli.label_panel import proofs_on
from sqlverdict.cli.options.data import DataArgs, read_benchmark
from sqlverdict.cli.options.fields import group, option
from sqlverdict.cli.options.label import ExportArgs, ImportArgs, QueueArgs, ServerArgs
from sqlverdict.cli.options.limits import open_runner
from sqlverdict.cli.options.shared import (
    FILE,
    FOLDER,
    runs_argument,
    timeout_option,
    trust_role_setting,
)
from sqlverdict.cli.run_cases import database_folder, run_cases
from sqlverdict.errors import MissingExtra, SqlverdictError, UsageError
from sqlverdict.execute.cache import default_path
from sqlverdict.files.atomic import write_at_once
from sqlverdict.files.text import count, few_of
from sqlverdict.label.databases import CaseDatabases, CaseFacts
from sqlverdict.label.export import export_cases, export_golds, export_votes
from sqlverdict.label.import_votes import NO_CASE, import_votes
from sqlverdict.label.offline import offline_page
from sqlverdict.label.queue import (
    ESTIMATE,
    LabelQueue,
    QueueItem,
    assign,
    assign_draw,
    build_queue,
    items_of,
)
from sqlverdict.label.session import ADJUDICATOR, LabelSession, token_subject
from sqlverdict.label.session_key import SessionKey, open_key, save_key
from sqlverdict.label.vote_log import VoteLog
from sqlverdict.label.without_sql import pairs_with_results
from sqlverdict.load.databases import Databases
from sqlverdict.load.people.sheet import LabelFields
from sqlverdict.load.people.votes import VOTES_FILE, Mode, VoteLogContent, read_events
from sqlverdict.records import Case
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.web.server import address_of, front_address, is_local, open_socket, serve_app

TWICE = 0.2
"""The share of the pairs of an estimate that two annotators label."""

_EXAMPLES = (
    "sqlverdict label runs/mine",
    "sqlverdict label runs/mine --databases DIR",
    "sqlverdict label runs/a runs/b --benchmark bird --root bird --queue disagree --n 100",
    "sqlverdict label runs/mine --databases DIR --annotators ann,bob --overlap 0.3",
    "sqlverdict label runs/mine --databases DIR --annotators ann --without-sql eve,fay",
    "sqlverdict label runs/mine --queue estimate --n 100 --annotators ann,bob",
    "sqlverdict label runs/mine --databases DIR --annotators cai --offline cai.html",
    "sqlverdict label runs/mine --import votes-cai.jsonl --import experts.csv",
    "sqlverdict label runs/mine --export-golds corrected.jsonl --export-votes votes.csv",
    "sqlverdict agree runs/mine --labels runs/mine/labels/votes.jsonl",
)


@dataclass(frozen=True, kw_only=True)
class LabelCommandArgs:
    """The options of ``label``."""

    runs: tuple[Path, ...] = runs_argument()
    data: DataArgs = group(DataArgs)
    queue: QueueArgs = group(QueueArgs)
    imports: ImportArgs = group(ImportArgs)
    timeout: float = timeout_option()
    trust_role: bool = trust_role_setting()
    server: ServerArgs = group(ServerArgs)
    out: Path | None = option(
        "--out", type=FOLDER, help="The folder of the vote log. [default: labels in the first run]"
    )
    offline: Path | None = option(
        "--offline",
        type=FILE,
        help="Write one HTML file for one annotator instead, and start no server.",
    )
    exports: ExportArgs = group(ExportArgs)


@command(LabelCommandArgs, examples=_EXAMPLES)
def label(args: LabelCommandArgs) -> None:
    """Start a local page on which people say which of two queries answers a question.

    The page shows the question, both queries in random order, what each returns on the real
    database, a small database on which they differ, and the tables in use. It hides which query is
    the gold, what metrics say, the verdict and the system until the vote, and the votes of others
    for good. Both queries are spelled alike. Who is named with --without-sql sees the two results
    alone, on the small database, which is described in words, too.

    --queue estimate draws pairs in proportion to the kinds of evidence, once for a label folder.
    Two annotators label a fifth of them, and evidence stays hidden until all are labelled.

    Each vote is on the disk before the page shows it as saved, in votes.jsonl, a log that only
    grows. Run the same command again to continue. agree reads the log as it is.

    Every annotator has an address of their own, the same after a restart. Where there are several,
    an adjudicator has one too: it lists the items on which they disagree. Queries run in the
    sandbox, under the limits, on the databases of the evaluate command of the run, or on those that
    you name.
    """
    runs = [read_run(folder) for folder in args.runs]
    folder = args.out or args.runs[0] / "labels"
    if args.imports.import_files:
        with closing(VoteLog(folder)) as log:
            _import(args, runs, log, open_key(folder))
    if args.exports.any:
        file = folder / VOTES_FILE
        events = list(read_events(file)) if file.exists() else []
        if not events:
            words = shlex.join(["sqlverdict", "label", *map(str, args.runs)])
            raise UsageError(
                f"nobody voted yet: {file} has no vote, and nothing was written. People vote on "
                f"the page that '{words}' opens; '{words} --import FILE' adds votes of a sheet"
            )
        content = VoteLogContent(events)
        _export(args, items_of(runs, content.pairs), content)
    if args.imports.import_files or args.exports.any:
        return
    if args.offline is not None:
        _write_offline(args, args.offline, runs, folder)
        return
    with closing(VoteLog(folder)) as log:
        _serve(args, runs, log)


def _import(args: LabelCommandArgs, runs: Sequence[Run], log: VoteLog, key: SessionKey) -> None:
    own = args.imports.fields
    fields = LabelFields(own.label_field, own.id_field, own.votes, own.annotator_field)
    for file in args.imports.import_files:
        names = args.queue.annotators
        outcomes = import_votes(file, runs, log, names[0] if names else file.stem, fields, key)
        parts = [f"{number:,} {what}" for what, number in sorted(outcomes.items())]
        click.echo(f"{file}: {'; '.join(parts) or 'no vote'}")
        if outcomes[NO_CASE] == outcomes.total() > 0:
            ids = few_of((result.id for result in islice(runs[0].results(), 3)), 3)
            click.echo(
                f"no id of {file} is one of the runs, which have {ids}. Name the field of the id "
                f"with --id-field",
                err=True,
            )


def _export(
    args: LabelCommandArgs, items: Mapping[str, QueueItem], content: VoteLogContent
) -> None:
    exports = args.exports
    if exports.export_votes is not None:
        number = export_votes(content, items, exports.export_votes)
        _say_written(exports.export_votes, number, "vote")
    if exports.export_golds is not None:
        number = export_golds(content, items, exports.export_golds)
        _say_written(exports.export_golds, number, "corrected gold")
    if exports.export_cases is not None:
        facts = _facts(args.data)
        knowledge = {case_id: one.knowledge for case_id, one in facts.items()}
        number = export_cases(content, items, knowledge, exports.export_cases)
        _say_written(exports.export_cases, number, "labelled case")


def _say_written(path: Path, number: int, what: str) -> None:
    click.echo(f"written: {path} ({count(number, what)})")


def _facts(data: DataArgs) -> dict[str, CaseFacts]:
    if data.benchmark is None and data.cases is None:
        return {}
    return _facts_of(read_benchmark(data).cases)


def _facts_of(cases: Iterable[Case]) -> dict[str, CaseFacts]:
    return {case.id: CaseFacts(case.knowledge, case.database, case.gold_database) for case in cases}


def _databases(args: LabelCommandArgs, runs: Sequence[Run]) -> Callable[[], CaseDatabases]:
    """Opens the databases of the runs; every thread opens its own."""
    data = args.data
    facts = _facts(data)
    if facts or data.databases is not None:
        folder = database_folder(data) if data.databases is not None else None
        return partial(_open_databases, args, data.engine_name, facts, folder)
    for run in runs:
        try:
            facts = _facts_of(run_cases(run).values()) | facts
        except SqlverdictError as error:
            click.echo(
                f"the databases of {run.folder} are not available: {error} Its results come from "
                "the run log, without tables in use, and no query can be run. Give --databases "
                "DIR, or the --benchmark",
                err=True,
            )
    return partial(_open_databases, args, runs[0].manifest.engine, facts, None)


def _open_databases(
    args: LabelCommandArgs, engine: str, facts: Mapping[str, CaseFacts], folder: Databases | None
) -> CaseDatabases:
    runner = open_runner(engine, args.timeout, default_path(), trust_role=args.trust_role)
    return CaseDatabases(runner, facts, folder)


def _write_offline(args: LabelCommandArgs, path: Path, runs: Sequence[Run], folder: Path) -> None:
    annotators = _annotators(args)
    if len(annotators) != 1:
        raise UsageError(
            f"an offline page is for one annotator, and {len(annotators)} are named: write one "
            f"file each, with --annotators NAME"
        )
    if args.queue.not_blind:
        raise UsageError("an offline page is always blind: leave out --not-blind")
    queue, key = _queue(args, runs, folder)
    mode: Mode = "results" if args.queue.without_sql else "queries"
    databases = _databases(args, runs)()
    with closing(databases.runner):
        if mode == "results":
            own = pairs_with_results(queue, queue.order, databases)
            _say_without_results(annotators[0], len(queue.order) - len(own))
            queue = dataclass_replace(queue, order=own)
        page = offline_page(queue, databases, annotators[0], key, mode)
    write_at_once(path, page)
    _say_written(path, len(queue.order), "item")
    _say_without_pair(queue)


def _queue(
    args: LabelCommandArgs, runs: Sequence[Run], folder: Path, voted: Iterable[str] = ()
) -> tuple[LabelQueue, SessionKey]:
    """The queue, and the folder's key; it keeps what was drawn before anybody votes."""
    options = args.queue
    key = open_key(folder)
    if options.queue == ESTIMATE and options.not_blind:
        raise UsageError("votes for an estimate are blind: leave out --not-blind")
    if options.queue == ESTIMATE and key.draw is None and _has_vote(folder):
        raise UsageError(
            f"{folder} has votes on another queue, and an estimate is drawn before the first vote. "
            f"Name a folder of its own: --out DIR"
        )
    if options.queue != ESTIMATE and key.draw is not None:
        raise UsageError(
            f"{folder} has a draw for an estimate, which votes on other pairs would blur. Label "
            f"it with --queue {ESTIMATE}, or name another folder: --out DIR"
        )
    prove = proofs_on(runs)
    queue = build_queue(runs, options.queue, options.size, options.seed, voted, key.draw, prove)
    if queue.draw is not None and key.draw is None:
        key = replace(key, draw=queue.draw)
        save_key(folder, key)
    return queue, key


def _has_vote(folder: Path) -> bool:
    file = folder / VOTES_FILE
    return file.exists() and any(event.display is not None for event in read_events(file))


def _assign(
    args: LabelCommandArgs,
    queue: LabelQueue,
    key: SessionKey,
    open_databases: Callable[[], CaseDatabases],
) -> dict[str, tuple[str, ...]]:
    """The pairs of each annotator; who sees results alone has those that have a result."""
    options, names = args.queue, _annotators(args)
    if options.queue == ESTIMATE:
        twice = TWICE if options.overlap is None else options.overlap
        work = assign_draw(queue.order, names, twice, key.secret)
    else:
        overlap = 1.0 if options.overlap is None else options.overlap
        work = assign(queue.order, names, overlap, key.secret)
    if options.without_sql:
        databases = open_databases()
        with closing(databases.runner):
            for name in options.without_sql:
                own = pairs_with_results(queue, work[name], databases)
                _say_without_results(name, len(work[name]) - len(own))
                work[name] = own
    return work


def _say_without_results(annotator: str, number: int) -> None:
    if number:
        click.echo(
            f"left out for {annotator}: {count(number, 'item')} without a result to show: there "
            "is no small database on which the queries differ, and the real one is not available"
        )


def _say_without_pair(queue: LabelQueue) -> None:
    if queue.without_pair:
        words = count(queue.without_pair, "case")
        click.echo(f"left out: {words} without two queries to compare (no SQL, or no gold)")


def _serve(args: LabelCommandArgs, runs: Sequence[Run], log: VoteLog) -> None:
    try:
        from sqlverdict.label.app import LabelApp
    except ImportError as error:
        raise MissingExtra("label", "web") from error
    options = args.queue
    folder = log.path.parent
    queue, key = _queue(args, runs, folder, log.content.pairs)
    databases = _databases(args, runs)
    work = _assign(args, queue, key, databases)
    blind = not options.not_blind
    session = LabelSession(queue, work, log, key, blind, options.queue, options.without_sql)
    front = front_address(args.server.address) if args.server.address else ""
    listener = _listen(args.server, key.port)
    save_key(folder, replace(key, port=listener.getsockname()[1]))
    own = address_of(args.server.host, listener)
    address = front or own
    tokens = {key.token(token_subject(name)): token_subject(name) for name in work}
    links = {name: f"{address}/#token={key.token(token_subject(name))}" for name in work}
    adjudicator = options.adjudicator or _user()
    if len(work) > 1:
        tokens[key.token(ADJUDICATOR)] = ADJUDICATOR
        link = f"{address}/adjudicate#token={key.token(ADJUDICATOR)}"
        links[f"adjudicator {adjudicator}"] = link
    _announce(args.server.host, session, links)
    if not args.server.no_browser:
        webbrowser.open(next(iter(links.values())))
    app = LabelApp(session, databases, adjudicator)
    try:
        serve_app(app.routes(), tokens, listener, own, front)
    finally:
        app.close()
    click.echo(f"every vote is saved in {log.path}")


def _listen(server: ServerArgs, last_port: int) -> socket:
    """A socket, on the port of the last start where none is named: sent addresses work again."""
    if server.port == 0 and last_port:
        try:
            return open_socket(server.host, last_port)
        except UsageError:
            click.echo(
                f"port {last_port} of the last start is taken: the addresses are new", err=True
            )
    return open_socket(server.host, server.port)


def _announce(host: str, session: LabelSession, links: Mapping[str, str]) -> None:
    queue = session.queue
    click.echo(
        f"{count(len(queue.order), 'item')} of the queue {session.name} ({queue.matching:,} belong "
        f"to it), votes in {session.log.path}"
    )
    _say_without_pair(queue)
    if not is_local(host):
        click.echo(
            f"warning: with --host {host} everybody on the network reaches this server, and "
            f"whoever sees an address below can vote; the connection is not encrypted",
            err=True,
        )
    width = max(map(len, links))
    for name, link in links.items():
        click.echo(f"  {name:<{width}}  {link}")
    click.echo("stop with Ctrl-C")


def _annotators(args: LabelCommandArgs) -> tuple[str, ...]:
    without_sql = args.queue.without_sql
    both = [name for name in without_sql if name not in args.queue.annotators]
    names = (*args.queue.annotators, *both) or (_user(),)
    if len(set(names)) < len(names):
        raise UsageError(f"--annotators names somebody twice: {', '.join(names)}")
    return names


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return "annotator"
