"""What methods learned, on disk: JSON and plain arrays, never pickles.

A folder with a fitted method may come from anybody; reading it must not run code.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from sqlverdict.abstain.method import Ask, TrainingExample
from sqlverdict.errors import DataError, MissingExtra
from sqlverdict.files.atomic import replacing, write_at_once, write_text_at_once
from sqlverdict.files.regular import why_unread
from sqlverdict.parse.schema import Schema

_EXAMPLES = "examples.jsonl"


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file; infinities as JSON5 writes them, which Python reads back."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_at_once(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        DataError: it is missing or broken.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(
            f"{path} cannot be read: {error.strerror}. Expected what sqlverdict abstain fit wrote.",
            reason=why_unread(error),
        ) from error
    except ValueError as error:
        raise DataError(
            f"{path} is not JSON: {error}. Fit the method again.", reason="unreadable"
        ) from error


def write_arrays(path: Path, **arrays: Any) -> None:
    """Write numeric arrays to one file."""
    numpy = load_numpy("a fitted detector")
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, lasting=False) as stream:
        numpy.savez_compressed(stream, **arrays)


def read_arrays(path: Path) -> dict[str, Any]:
    """Read numeric arrays.

    Raises:
        DataError: the file is missing, broken, or holds something else than numbers.
    """
    numpy = load_numpy("a fitted detector")
    try:
        # numpy leaves a file that it opened itself open where that is broken.
        with path.open("rb") as stream, numpy.load(stream, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        raise DataError(
            f"{path} cannot be read: {error}. Fit the method again.", reason=why_unread(error)
        ) from error


def write_examples(folder: Path, examples: Sequence[TrainingExample]) -> None:
    """Write examples, each database's schema once."""
    folder.mkdir(parents=True, exist_ok=True)
    schemas: dict[str, Schema] = {}
    with replacing(folder / _EXAMPLES, lasting=False) as stream:
        for example in examples:
            ask = example.ask
            if ask.schema is not None:
                schemas.setdefault(ask.db_id, ask.schema)
            line = {
                "id": ask.id,
                "db_id": ask.db_id,
                "question": ask.question,
                "knowledge": ask.knowledge,
                "database": ask.database,
                "answerable": example.answerable,
                "sql": example.sql,
            }
            # Escaped beyond ASCII: a question may hold half a surrogate, or another line end.
            stream.write(json.dumps(line).encode() + b"\n")
    import msgspec

    write_at_once(folder / "schemas.json", msgspec.json.encode(schemas), lasting=False)


def read_examples(folder: Path) -> list[TrainingExample]:
    """Read what :func:`write_examples` wrote.

    Raises:
        DataError: it is missing or broken.
    """
    import msgspec

    try:
        schemas = msgspec.json.decode(
            (folder / "schemas.json").read_bytes(), type=dict[str, Schema]
        )
        lines = [
            json.loads(line)
            for line in (folder / _EXAMPLES).read_text(encoding="utf-8").splitlines()
        ]
        return [
            TrainingExample(
                Ask(
                    line["id"],
                    line["db_id"],
                    line["question"],
                    line["knowledge"],
                    schemas.get(line["db_id"]),
                    line["database"],
                ),
                line["answerable"],
                line["sql"],
            )
            for line in lines
        ]
    except (OSError, ValueError, KeyError, TypeError, msgspec.DecodeError) as error:
        raise DataError(
            f"{folder} holds no examples: {error}. Fit the method again.", reason=why_unread(error)
        ) from error


def load_numpy(purpose: str) -> Any:
    """The module numpy.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        import numpy
    except ImportError as error:
        raise MissingExtra(purpose, "abstain") from error
    return numpy


def need_sklearn(name: str, purpose: str) -> Any:
    """A module of scikit-learn.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(f"sklearn.{name}")
    except ImportError as error:
        raise MissingExtra(purpose, "abstain") from error
