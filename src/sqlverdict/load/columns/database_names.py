"""Whether a column ``database`` holds names of databases, as ``db_id`` does, or paths of files.

Our field ``database`` is the path of a file. Other people call the name of a database so, and give
a folder of databases beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlverdict.load.columns.column_map import texts_of
from sqlverdict.load.databases import SUFFIXES, Databases, is_name


def database_names(
    records: Sequence[Mapping[str, Any]],
    columns: Mapping[str, str],
    spellings: Mapping[str, str],
    databases: Databases,
    home: Path,
) -> dict[str, str]:
    """The column ``database`` as ``db_id``, where each of its cells is a name and no file.

    Args:
        records: The first records, under the user's names.
        columns: The user's column map: a column that it names is what it says.
        spellings: The columns that have a name of ours in another spelling.
        databases: Where the databases are; one of them must have such a name.
        home: What the path of a file would be relative to.
    """
    known = {**columns, **spellings}
    texts = set(texts_of("database", records, known))
    if not texts or texts_of("db_id", records, known):
        return {}
    if any(
        not is_name(text) or text.endswith(SUFFIXES) or ":" in text or (home / text).is_file()
        for text in texts
    ):
        return {}
    if all(databases.path(text) is None for text in texts):
        return {}
    names = dict.fromkeys(name for record in records for name in record if name not in columns)
    return {name: "db_id" for name in names if known.get(name, name) == "database"}
