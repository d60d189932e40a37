"""Which engine opens the databases of a folder, by the endings of its files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from sqlverdict.errors import OptionName, UsageError

_MOST_FILES = 20_000
"""So many files are looked at: the endings of a benchmark's databases are alike."""


def engine_of_folder(folder: Path, suffixes: Mapping[str, tuple[str, ...]], usual: str) -> str:
    """The name of the engine whose files lie in a folder, or in the folders in it.

    Args:
        folder: The folder.
        suffixes: The endings of each engine's files, by its name.
        usual: The engine for endings that it shares with others, and for folders without files.

    Raises:
        UsageError: there are files of several engines.
    """
    endings = {file.suffix.lower() for file in islice(_files(folder), _MOST_FILES)}
    shared = {each for name, own in suffixes.items() for each in own if name != usual}
    shared &= set(suffixes[usual])
    owners = {
        name: own
        for name, those in suffixes.items()
        if (own := [each for each in those if each in endings and each not in shared])
    }
    if len(owners) > 1:
        kinds = ", ".join(f"{name} ({' '.join(own)})" for name, own in sorted(owners.items()))
        raise UsageError(
            f"{folder} holds databases of several engines: {kinds}. Say which is meant with ",
            OptionName("engine"),
            ", or give a folder with the files of one",
        )
    return next(iter(owners), usual)


def _files(folder: Path) -> Iterator[Path]:
    """Its files, and those of the folders in it; hidden ones are other programs' leftovers."""
    for child in _children(folder):
        if child.is_dir():
            yield from _children(child)
        else:
            yield child


def _children(folder: Path) -> Iterator[Path]:
    try:
        for child in folder.iterdir():
            if not child.name.startswith("."):
                yield child
    except OSError:
        # Whoever opens its databases says best what is wrong with it.
        return
