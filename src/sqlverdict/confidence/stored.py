"""Models in files; the one that comes with the package."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

import msgspec

from sqlverdict.confidence.counts import Counts, LabelSet
from sqlverdict.confidence.model import Model
from sqlverdict.errors import UsageError
from sqlverdict.situations import Situation

SCHEMA = 3


class _StoredModel(msgspec.Struct):
    """A model as it is stored."""

    schema: int
    sets: list[LabelSet]
    cells: Counts
    own: str = ""


def read_label_model(path: Path) -> Model:
    """A model from a file that ``sqlverdict agree --calibrate`` wrote.

    Raises:
        UsageError: there is no such file, or it holds no model.
    """
    try:
        return _decode(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror}. Expected a file that 'sqlverdict agree --calibrate' wrote"
        ) from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} holds no counts of labels ({error}). Expected a file that 'sqlverdict "
            f"agree --calibrate' wrote; make it again"
        ) from None


def write_label_model(model: Model) -> bytes:
    """A model as the text of a file."""
    stored = {
        "schema": SCHEMA,
        "sets": model.sets,
        **({"own": model.own} if model.own else {}),
        "cells": model.cells,
    }
    return msgspec.json.format(msgspec.json.encode(stored), indent=1) + b"\n"


class _Header(msgspec.Struct):
    schema: int


def _decode(text: bytes) -> Model:
    schema = msgspec.json.decode(text, type=_Header).schema
    if schema != SCHEMA:
        raise msgspec.ValidationError(f"schema {schema}; this version reads schema {SCHEMA}")
    stored = msgspec.json.decode(text, type=_StoredModel)
    for name, sets in stored.cells.items():
        # What a judge said of a situation stands behind a slash.
        if name.partition("/")[0] not in set(Situation):
            raise msgspec.ValidationError(f"it counts {name!r}, which is no situation")
        for right, labels, questions in sets.values():
            if not 0 <= right <= labels or not 0 <= questions <= labels:
                raise msgspec.ValidationError(
                    f"{right} right of {labels} labels of {questions} questions"
                )
    return Model(tuple(stored.sets), stored.cells, stored.own)


@cache
def built_in() -> Model:
    """The model that comes with the package."""
    return _decode(resources.files("sqlverdict.confidence").joinpath("labels.json").read_bytes())
