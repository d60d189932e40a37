"""What readers of benchmarks share that are a list of JSON objects: fields, files, databases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlverdict.errors import BenchmarkError, UsageError
from sqlverdict.files.text import few_of
from sqlverdict.load.benchmark import Benchmark, SourceFile, missing_databases
from sqlverdict.load.databases import Databases
from sqlverdict.records import Case

Item = Mapping[str, Any]


def first_file(root: Path, names: Sequence[str], what: str) -> Path:
    """The benchmark's file: ``root`` itself, or the first of these names that is in it.

    Raises:
        BenchmarkError: there is none.
    """
    if root.is_file():
        return root
    if not root.is_dir():
        raise BenchmarkError(
            f"there is no file or folder {root}. Say where {what} is (option root).",
            reason="missing",
        )
    for name in names:
        if (root / name).is_file():
            return root / name
    there = sorted(child.name for child in root.iterdir())
    raise BenchmarkError(
        f"{root} holds no file of {what}: expected {' or '.join(names)}; found "
        f"{few_of(there, 10)}. Check the folder (option root) and the split.",
        reason="missing",
    )


def check_options(name: str, options: Mapping[str, str], **known: Sequence[str]) -> None:
    """Refuse options that a format does not have, and values that an option does not take.

    Raises:
        UsageError: the message lists what there is.
    """
    for key, value in options.items():
        if key not in known:
            listing = ", ".join(known) or "none"
            raise UsageError(f"{name} takes no option {key!r}. Known: {listing}")
        if value not in known[key]:
            raise UsageError(f"{key} is {value!r}; expected one of {', '.join(known[key])}")


def item_text(item: Item, where: str, *names: str) -> str:
    """The text under the first of these names that the item has; empty where it has none.

    Raises:
        BenchmarkError: it is neither a text nor a number.
    """
    for name in names:
        value = item.get(name)
        if value is None:
            continue
        if isinstance(value, list | dict | bool):
            raise BenchmarkError(
                f"{where}: {name!r} is {value!r}. Expected text.", reason="wrong_value"
            )
        return str(value)
    return ""


def need_text(item: Item, where: str, *names: str) -> str:
    """The text that :func:`item_text` finds; an error where there is none.

    Raises:
        BenchmarkError: there is none.
    """
    value = item_text(item, where, *names)
    if not value.strip():
        expected = " or ".join(map(repr, names))
        raise BenchmarkError(
            f"{where}: found {few_of(item, 8)}. Expected a text in {expected}.",
            reason="missing_field",
        )
    return value


def item_texts(item: Item, where: str, *names: str) -> tuple[str, ...]:
    """The texts of a list, or one text, under the first of these names that the item has.

    Raises:
        BenchmarkError: it is something else.
    """
    for name in names:
        value = item.get(name)
        if value is None or value == "":
            continue
        listing = value if isinstance(value, list) else [value]
        if not all(isinstance(each, str) for each in listing):
            raise BenchmarkError(
                f"{where}: {name!r} is {value!r}. Expected a list of texts.", reason="wrong_value"
            )
        return tuple(each for each in listing if each.strip())
    return ()


def item_tags(item: Item, *names: str) -> dict[str, str]:
    """The texts and numbers under some names, as tags; lists are joined."""
    tags = {}
    for name in names:
        value = item.get(name)
        if isinstance(value, list):
            value = ", ".join(map(str, value))
        if value not in (None, "") and not isinstance(value, dict):
            tags[name] = str(value)
    return tags


def benchmark_of(
    name: str,
    cases: Sequence[Case],
    files: Iterable[Path],
    databases: Databases,
    *,
    notes: Sequence[str] = (),
    preset: str = "",
) -> Benchmark:
    """A benchmark whose cases are in memory.

    Raises:
        BenchmarkError: there is no case, or two share an id.
    """
    sources = tuple(SourceFile.of(file) for file in files)
    home = sources[0].path if sources else name
    if not cases:
        raise BenchmarkError(
            f"{home} holds no case that can be evaluated. {' '.join(notes)}", reason="empty"
        )
    seen: set[str] = set()
    for case in cases:
        if case.id in seen:
            raise BenchmarkError(
                f"{home}: id {case.id!r} occurs twice. Expected each id once.", reason="repeated"
            )
        seen.add(case.id)
    version = "sha256 " + "+".join(source.sha256[:12] for source in sources[:3])
    missing = missing_databases(databases, [case.db_id for case in cases])
    return Benchmark(name, version, cases, len(cases), sources, (*notes, *missing), preset=preset)
