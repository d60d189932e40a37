"""Look at runs in a browser: cases, comparisons, and queries that can be changed and run."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from sqlverdict.cli.command import command
from sqlverdict.cli.options.data import DataArgs
from sqlverdict.cli.options.fields import group
from sqlverdict.cli.options.label import ServerArgs
from sqlverdict.cli.options.shared import databases_option, runs_argument, trust_role_setting
from sqlverdict.cli.run_cases import database_folder, run_cases
from sqlverdict.errors import MissingExtra, RunLogError
from sqlverdict.records import Case
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.web.security import new_token
from sqlverdict.web.server import address_of, front_address, is_local, open_socket, serve_app


@dataclass(frozen=True, kw_only=True)
class ViewArgs:
    """The options of ``view``."""

    runs: tuple[Path, ...] = runs_argument()
    databases: str | None = databases_option()
    trust_role: bool = trust_role_setting()
    server: ServerArgs = group(ServerArgs)


@command(
    ViewArgs,
    examples=[
        "sqlverdict view runs/mine",
        "sqlverdict view runs/* --port 8000 --no-browser",
        "sqlverdict view runs/mine --databases DIR",
    ],
)
def view(args: ViewArgs) -> None:
    """Show RUN... in a browser, on a server of this machine; Ctrl-C ends it.

    The page is that of report.html. It also compares the runs that you choose, exports the cases
    that are filtered, and runs changed queries of a case in the sandbox, with a proof and a
    witness. For that the databases are those of the evaluate command of the run, so start it in the
    same folder, or name them with --databases. Only the printed address, with its token, opens the
    page.
    """
    try:
        from sqlverdict.view.app import ViewApp
        from sqlverdict.view.playground import Playground
    except ImportError as error:
        raise MissingExtra("view", "web") from error
    runs = [read_run(folder) for folder in args.runs]
    if args.databases is not None:
        database_folder(DataArgs(databases=args.databases))
    front = front_address(args.server.address) if args.server.address else ""
    listener = open_socket(args.server.host, args.server.port)
    own, token = address_of(args.server.host, listener), new_token()
    link = f"{front or own}/#token={token}"
    click.echo(f"{link}\nCtrl-C ends the server.")
    if not is_local(args.server.host):
        click.echo(
            "others on the network can reach this address; the token is all they need", err=True
        )
    if not args.server.no_browser:
        webbrowser.open(link)
    cases_of = partial(_cases_of, databases=args.databases)
    app = ViewApp(runs, partial(Playground, cases_of, trust_role=args.trust_role))
    try:
        serve_app(app.routes(), {token: "reader"}, listener, own, front)
    finally:
        app.close()


def _cases_of(run: Run, databases: str | None) -> Mapping[str, Case]:
    try:
        return run_cases(run, databases)
    except RunLogError as error:
        message = f"{error} Start view with --databases DIR to say where the databases are."
        raise RunLogError(message, reason=error.reason) from error
