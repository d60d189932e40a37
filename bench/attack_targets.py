"""What the attack on engines attacks: a database of each engine, with a secret beside it.

The secret stands in a file that the engine could read, in another database, in a setting, and in
the name of the folder of a database file. ``state`` tells what no query may change.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from attack_texts import SECRET
from sqlverdict.execute.engine import ENGINES, Limits, Session
from sqlverdict.records import Failure
from sqlverdict.testing.hostile import hostile_predictions

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "execute"))
import hostile_duckdb as duckdb_texts

LIMITS = Limits(steps=2_000_000, seconds=3.0, rows=1_000, bytes=2**22, memory=2**28, cell=2**20)
TABLES = ("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20))",)
ROWS = "INSERT INTO item VALUES (1, 'pen'), (2, 'ink'), (3, NULL)"
OTHER = ("CREATE TABLE secret (name VARCHAR(40))", f"INSERT INTO secret VALUES ('{SECRET}')")


class Target(ABC):
    """A database with three rows, and a secret beside it.

    Args:
        folder: Where files are written.
        server: The URL of a server's administrator.
        alone: Nobody else uses the server, so that all of its state can be compared.
    """

    name: ClassVar[str]
    styles: Sequence[str] = ("'{}'", "'{}'", "'{}'", '"{}"', "7", "1.5")
    calls: Sequence[str]
    secrets: Sequence[str] = (SECRET,)
    """What no answer and no message may hold, unless the text does."""
    escapes = False
    """Whether a backslash begins an escape in the plain strings that are sent."""

    def __init__(self, folder: Path, server: str | None, *, alone: bool) -> None:
        self.folder = folder
        self.alone = alone
        self.server = server or ""
        folder.chmod(0o755)
        self.loot = folder / "loot"
        self.loot.mkdir()
        self.loot.chmod(0o777)
        self.file = folder / "hidden.txt"
        self.file.write_text(SECRET)
        self.file.chmod(0o644)

    def __enter__(self) -> Self:
        self.set_up()
        self.session: Session = ENGINES.get(self.name).open(self.reference(), LIMITS)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.session.close()
        self.tear_down()

    @abstractmethod
    def set_up(self) -> None:
        """Make the database."""

    @abstractmethod
    def tear_down(self) -> None:
        """Remove what is outside of the folder."""

    @abstractmethod
    def reference(self) -> str:
        """The database."""

    @abstractmethod
    def corpus(self) -> Iterator[str]:
        """The hostile statements of the engine."""

    def canonical(self, text: str) -> str | Failure | None:
        """What would be sent; ``None`` where the engine itself reads the text."""
        del text
        return None

    def literals(self, text: str) -> list[str] | None:
        """The literals that the guard read, where it read nothing else."""
        sent = self.canonical(text)
        return _literals(sent, escapes=self.escapes) if isinstance(sent, str) else None

    def columns_in_other_modes(self, text: str) -> list[int]:
        """How many columns the text that would be sent has where other settings rule."""
        del text
        return []

    def raw(self, text: str) -> Sequence[object] | None:
        """The one row of a text as it came; ``None`` where it has none, or calls something."""
        if "(" in text or "@" in text or "into" in text.lower():
            return None
        return self._raw(text)

    def _raw(self, text: str) -> Sequence[object] | None:
        del text
        return None

    def state(self) -> dict[str, object]:
        """What no query may change."""
        files = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return {
            str(path.relative_to(self.folder)): sha256(path.read_bytes()).hexdigest()
            for path in files
        }


_TOKEN = re.compile(
    r"\s*(?:[Ee]'((?:[^'\\]|''|\\.)*)'|'((?:[^']|'')*)'|([0-9]+(?:\.[0-9]+)?))\s*", re.DOTALL
)


def _unescaped(match: re.Match[str]) -> str:
    return "\0" if match[1] == "0" else match[1]


def _literals(sent: str, *, escapes: bool) -> list[str] | None:
    """The values of a SELECT of plain literals, by the simplest reading there is."""
    if not sent.upper().startswith("SELECT "):
        return None
    values, at = [], len("SELECT ")
    while match := _TOKEN.match(sent, at):
        escaped, plain, number = match.groups()
        if escaped is not None:
            if re.search(r"\\[^\\']", escaped):
                return None
            values.append(re.sub(r"\\(.)|''", lambda m: m[1] or "'", escaped, flags=re.DOTALL))
        elif plain is not None:
            plain = plain.replace("''", "'")
            values.append(re.sub(r"\\([\\0])", _unescaped, plain) if escapes else plain)
        else:
            values.append(number)
        at = match.end()
        if at == len(sent):
            return values
        if sent[at] != ",":
            return None
        at += 1
    return None


class Sqlite(Target):
    """A file; the engine's authorizer decides, and no text is written anew."""

    name = "sqlite"

    def set_up(self) -> None:
        home = self.folder / SECRET
        home.mkdir()
        for file, statements in (
            (home / "shop.sqlite", (*TABLES, ROWS)),
            (self.folder / "other.sqlite", OTHER),
        ):
            with closing(sqlite3.connect(file)) as connection, connection:
                for statement in statements:
                    connection.execute(statement)
        self.calls = (
            f"readfile('{self.file}')",
            f"writefile('{self.loot}/a', 'x')",
            f"load_extension('{self.loot}/a')",
            "fts3_tokenizer('simple')",
            "(SELECT file FROM pragma_database_list)",
            "(SELECT group_concat(file) FROM pragma_database_list())",
            "edit('x')",
            "zeroblob(2000000000)",
            "randomblob(2000000000)",
            "(SELECT sql FROM sqlite_temp_master)",
            "(SELECT name FROM other.secret)",
        )

    def corpus(self) -> Iterator[str]:
        # What never ends would take its whole time limit.
        return (each.sql for each in hostile_predictions() if not each.hangs)

    def reference(self) -> str:
        return str(self.folder / SECRET / "shop.sqlite")

    def tear_down(self) -> None:
        pass


class Duckdb(Target):
    """A file in a child process."""

    name = "duckdb"
    styles = (*Target.styles, "E'{}'", "$${}$$", "$a${}$a$", "x'{}'")
    secrets = (SECRET, duckdb_texts.PLANTED)

    def set_up(self) -> None:
        import duckdb

        home = self.folder / SECRET
        home.mkdir()
        for file, statements in (
            (home / "shop.duckdb", (*TABLES, ROWS, *duckdb_texts.TABLES)),
            (self.folder / "other.duckdb", OTHER),
        ):
            with closing(duckdb.connect(str(file))) as connection:
                for statement in (*statements, "CREATE SEQUENCE numbers"):
                    connection.execute(statement)
        os.environ["SQLVERDICT_ATTACK"] = SECRET
        os.environ["SQLVERDICT_PLANTED"] = duckdb_texts.PLANTED
        (self.folder / "secret.csv").write_text(duckdb_texts.PLANTED)
        self.calls = (
            f"(SELECT content FROM read_text('{self.file}'))",
            f"(SELECT content FROM system.main.read_text('{self.file}'))",
            f"(SELECT * FROM '{self.file}')",
            f"(SELECT * FROM read_csv('{self.file}'))",
            "getenv('SQLVERDICT_ATTACK')",
            "(SELECT path FROM duckdb_databases() WHERE path IS NOT NULL LIMIT 1)",
            "(SELECT path FROM duckdb_databases WHERE path IS NOT NULL LIMIT 1)",
            "(SELECT file FROM pragma_database_list LIMIT 1)",
            "(SELECT min(setting) FROM pg_settings)",
            "(SELECT min(value) FROM duckdb_settings())",
            "current_setting('temp_directory')",
            "nextval('numbers')",
            "(SELECT * FROM query('SELECT getenv(''SQLVERDICT_ATTACK'')'))",
            "json_execute_serialized_sql('{}')",
            f"(SELECT count(*) FROM glob('{self.folder}/*'))",
            "system.main.repeat('x', 3000000000)",
            "write_log('x')",
        )

    def corpus(self) -> Iterator[str]:
        return (each.sql for each in duckdb_texts.duckdb_predictions(str(self.folder)))

    def reference(self) -> str:
        return str(self.folder / SECRET / "shop.duckdb")

    def _raw(self, text: str) -> Sequence[object] | None:
        import duckdb

        with closing(duckdb.connect()) as connection:
            try:
                rows = connection.execute(text).fetchall()
            except (duckdb.Error, UnicodeError):
                return None
        return rows[0] if len(rows) == 1 else None

    def tear_down(self) -> None:
        for name in ("SQLVERDICT_ATTACK", "SQLVERDICT_PLANTED"):
            os.environ.pop(name, None)
