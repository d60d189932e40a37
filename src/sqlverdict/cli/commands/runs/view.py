"""Look at runs in a browser: cases, comparisons, and queries that can be changed and run."""

from __future__ import annotations

import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import click

from sqlverdict.cli.command import command, group
from sqlverdict.cli.evaluate_runs import read_cases
from sqlverdict.cli.options.label import ServerArgs
from sqlverdict.cli.options.shared import runs_argument
from sqlverdict.cli.recorded_command import evaluate_args
from sqlverdict.errors import MissingExtra
from sqlverdict.pipeline import Options
from sqlverdict.records import Case
from sqlverdict.runlog.run import Run, read_run
from sqlverdict.web.security import RequestGuard, new_token
from sqlverdict.web.server import address_of, is_local, open_socket, serve


@dataclass(frozen=True, kw_only=True)
class ViewArgs:
    """The options of ``view``."""

    runs: tuple[Path, ...] = runs_argument()
    server: ServerArgs = group(ServerArgs)


@command(
    ViewArgs,
    examples=["sqlverdict view runs/mine", "sqlverdict view runs/* --port 8000 --no-browser"],
)
def view(args: ViewArgs) -> None:
    """Show RUN... in a browser, on a server of this machine; Ctrl-C ends it.

    The page is that of report.html. It also compares the runs that you choose, exports the cases
    that are filtered, and runs changed queries of a case in the sandbox, with a proof and a
    witness. For that the inputs are read again as the evaluate command of the run names them, so
    start it in the same folder. Only the printed address, with its token, opens the page.
    """
    try:
        from sqlverdict.view.app import ViewApp
        from sqlverdict.view.playground import Playground
    except ImportError as error:
        raise MissingExtra("view", "web") from error
    runs = [read_run(folder) for folder in args.runs]
    listener = open_socket(args.server.host, args.server.port)
    address, token = address_of(args.server.host, listener), new_token()
    link = f"{address}/#token={token}"
    click.echo(f"{link}\nCtrl-C ends the server.")
    if not is_local(args.server.host):
        click.echo(
            "others on the network can reach this address; the token is all they need", err=True
        )
    if not args.server.no_browser:
        webbrowser.open(link)
    app = ViewApp(runs, Playground(_cases_of))
    port = listener.getsockname()[1]
    guard = RequestGuard(app.routes(), {token: "reader"}, urlsplit(address).hostname or "", port)
    try:
        serve(guard, listener)
    finally:
        app.close()


def _cases_of(run: Run) -> Mapping[str, Case]:
    benchmark, _ = read_cases(evaluate_args(run), Options())
    return {case.id: case for case in benchmark.cases}
