"""Score on an engine of your own: import its file, or name it in an entry point of a package.

In a package, ``pyproject.toml`` says ``[project.entry-points."sqlverdict.engines"]`` and
``sqlite_gz = "my_package.sqlite_gz:SqliteGz"``; the command line knows it then as well.
"""

import gzip
import tempfile
from pathlib import Path

import sqlite_gz  # noqa: F401 - the import registers the engine

import sqlverdict as sv
from sqlverdict.testing import check_engine
from sqlverdict.testing.engine_data import make_sqlite


def packed(folder: Path) -> Path:
    """The database of the conformance suite, packed."""
    with tempfile.TemporaryDirectory() as elsewhere:
        plain = Path(make_sqlite(Path(elsewhere)))
        target = folder / "suite.sqlite-gz"
        target.write_bytes(gzip.compress(plain.read_bytes()))
        return target


def main() -> None:
    """Hold the engine to what every engine promises, and score one pair."""
    check_engine("sqlite_gz", packed)
    with tempfile.TemporaryDirectory() as folder:
        database = packed(Path(folder))
        pair = ("SELECT count(*) FROM numbers", "SELECT max(i) FROM numbers")
        with sv.Scorer("ex", engine="sqlite_gz", db=database) as scorer:
            print(scorer(*pair))


if __name__ == "__main__":
    main()
