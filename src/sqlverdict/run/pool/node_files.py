"""The databases of a node: files that are the same as the driver's, or copies of them.

A result is that of the driver's database. A node that has other content at the same path would
give results of another one: its files are compared by digest before they are used. A copy lies in
a folder named after its content, so that all actors of a node share it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from sqlverdict.errors import DatabaseError, OptionName
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.references import file_of
from sqlverdict.files.sqlite import side_file

_LOG = "-wal"
"""The ending of SQLite's write-ahead log."""
_SIDE_FILES = ("", _LOG, ".wal")
"""What belongs to a database file: a log of SQLite or DuckDB beside it."""


@dataclass(frozen=True)
class NodeFiles:
    """The files of a database on the driver's machine.

    Attributes:
        path: The database itself.
        digests: Digests of the files, by their name in its folder. A link stands for its file,
            and has the log that lies beside that.
    """

    path: str
    digests: Mapping[str, str]

    @property
    def key(self) -> str:
        """Stands for their names and their content."""
        return sha256(repr(sorted(self.digests.items())).encode()).hexdigest()[:32]


def files_of(database: str, *, whole_folder: bool) -> NodeFiles | None:
    """The files of a database; ``None``: it is on a server, or not there.

    Args:
        database: Its reference.
        whole_folder: With all that lies in a folder of its own name: other databases of a test
            suite, descriptions of columns.
    """
    file = file_of(database)
    if file is None or not file.is_file():
        return None
    files = [file.with_name(file.name + ending) for ending in _SIDE_FILES]
    if whole_folder and file.parent.name == file.stem:
        files += [each for each in file.parent.rglob("*") if each not in files]
    logs = [each.with_name(each.name + _LOG) for each in files if each.is_symlink()]
    names = {str(each.relative_to(file.parent)) for each in (*files, *logs)}
    paths = {name: _path_of(file.parent, name) for name in sorted(names)}
    return NodeFiles(
        database, {name: sha256_file(each) for name, each in paths.items() if each.is_file()}
    )


def _path_of(folder: Path, name: str) -> Path:
    """Where a file lies: SQLite's log of a linked database is beside the file, not the link."""
    database = folder / name.removesuffix(_LOG)
    return side_file(database, _LOG) if name.endswith(_LOG) else folder / name


def check_node_files(files: NodeFiles, node: str) -> None:
    """Refuse other content than the driver's.

    Raises:
        DatabaseError: a file is missing on this node, or another one.
    """
    folder = Path(files.path).parent
    for name, digest in files.digests.items():
        file = _path_of(folder, name)
        if not file.is_file():
            raise DatabaseError(f"node {node} has no file {file}", *_ADVICE, reason="missing")
        if sha256_file(file) != digest:
            raise DatabaseError(
                f"node {node} has another file at {file}", *_ADVICE, reason="changed"
            )


_ADVICE = (
    ". Give all nodes the same files at the same place, or use ",
    OptionName("copy_databases", True),
)


def contents_of(files: NodeFiles) -> dict[str, bytes]:
    """The bytes of the files, by name.

    Raises:
        DatabaseError: a file changed since its digest was taken.
    """
    folder = Path(files.path).parent
    contents = {name: _path_of(folder, name).read_bytes() for name in files.digests}
    for name, content in contents.items():
        if sha256(content).hexdigest() != files.digests[name]:
            raise DatabaseError(
                f"{folder / name} changed while it was copied; copy it first", reason="changed"
            )
    return contents


def copy_of(files: NodeFiles) -> Path:
    """Where the copy of a database lies on a node, whether it is there or not."""
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    shared = Path(tempfile.gettempdir()) / f"sqlverdict-databases-{owner}"
    path = Path(files.path)
    return shared / files.key / path.parent.name / path.name


def make_copy(files: NodeFiles, contents: Mapping[str, bytes]) -> None:
    """Write the copy of a database; another actor of the node may do so at the same time."""
    folder = copy_of(files).parent
    shared = folder.parent.parent
    shared.mkdir(mode=0o700, exist_ok=True)
    own = Path(tempfile.mkdtemp(dir=shared))
    try:
        for name, content in contents.items():
            target = own / folder.name / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        own.rename(folder.parent)
    except OSError:
        shutil.rmtree(own)
        if not folder.is_dir():
            raise
