"""Score with a metric of your own: import its file, or name it in an entry point of a package.

In a package, ``pyproject.toml`` says ``[project.entry-points."sqlverdict.metrics"]`` and
``row_overlap = "my_package.row_overlap:RowOverlap"``; the command line knows it then as well.
"""

import sqlite3
import tempfile
from pathlib import Path

import row_overlap  # noqa: F401 - the import registers the metric

import sqlverdict as sv
from sqlverdict.testing import check_metric


def main() -> None:
    """Hold the metric to what every metric promises, and score one pair."""
    check_metric("row_overlap")
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "shop.sqlite"
        connection = sqlite3.connect(database)
        with connection:
            connection.execute("CREATE TABLE item (name TEXT, price REAL)")
            connection.execute("INSERT INTO item VALUES ('pen', 1.5), ('pad', 2.5), ('ink', 4.0)")
        connection.close()
        pair = ("SELECT name FROM item WHERE price > 2", "SELECT name FROM item")
        result = sv.check(*pair, db=database, metrics="ex,row_overlap")
        print({name: round(value or 0.0, 3) for name, value in result.scores.items()})


if __name__ == "__main__":
    main()
