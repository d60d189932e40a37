"""The predictions of whole runs: a file, a table, records with ids, a mapping, or a list."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlverdict.api.arguments import read_cell, read_reply
from sqlverdict.api.rows import (
    GAP,
    answer_cells,
    check_columns,
    check_gaps,
    field_of,
    read_records,
    read_value,
    without_gaps,
)
from sqlverdict.errors import PredictionError, UsageError
from sqlverdict.load.columns.column_map import other_spellings, prediction_column_map
from sqlverdict.load.columns.ids import id_from
from sqlverdict.load.fields import ID_KEYS
from sqlverdict.load.prediction_entries import (
    Entries,
    PredictionEntry,
    answer_entries,
    record_entries,
)
from sqlverdict.load.prediction_formats import PredictionFile
from sqlverdict.load.predictions import Predictions, load_trials, pair_entries
from sqlverdict.load.replies.fenced import read_prediction
from sqlverdict.records import Prediction

IN_MEMORY = Predictions({}, "the predictions", "records", "")
"""Stands for what was read, where predictions were given in memory."""


@dataclass(frozen=True)
class PredictionArguments:
    """How predictions are read.

    Attributes:
        columns: From names in a file, a table or records to our fields.
        needed: The columns that they must have, by the argument that names them.
        strict_ids: Whether each case must have a prediction, and each prediction a case.
        sessions: How many turns each conversation has.
    """

    columns: Mapping[str, str]
    needed: Mapping[str, Mapping[str, str]]
    strict_ids: bool
    sessions: Sequence[int] = ()

    def check(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Refuse columns that no record of the predictions has.

        Raises:
            UsageError: there is one.
        """
        for argument, columns in self.needed.items():
            own = argument == "prediction_columns"
            holder = "the predictions" if own else "the predictions, as the cases,"
            check_columns(argument, columns, columns, records, holder)


def read_predictions(
    predictions: Any,
    case_ids: Sequence[str],
    arguments: PredictionArguments,
) -> list[Predictions]:
    """The predictions for each trial.

    Args:
        predictions: A file, a table, records with ids, a mapping by id, or a list by position.
        case_ids: The ids of the cases.
        arguments: How they are read.

    Raises:
        UsageError: there are not as many as cases, or no record has a column of the map.
        PredictionError: they do not fit the cases.
    """
    strict = arguments.strict_ids
    if isinstance(predictions, str | os.PathLike):
        path, columns = Path(os.fspath(predictions)), arguments.columns
        trials = load_trials(
            path, case_ids, columns=columns, strict_ids=strict, sessions=arguments.sessions
        )
        names = (*trials[0].header, *(each for each in columns if each not in trials[0].lacks))
        arguments.check([dict.fromkeys(names)])
        return trials
    if isinstance(predictions, Mapping):
        arguments.check(())
        return _by_id(predictions.items(), case_ids, strict)
    answers = read_records(predictions, "the predictions")
    if answers and all(isinstance(answer, Mapping) for answer in answers):
        columns = prediction_column_map(arguments.columns)
        arguments.check(answers)
        return _by_record(answers, case_ids, columns, strict)
    arguments.check(())
    if answers and all(isinstance(answer, Prediction) for answer in answers):
        return _by_id([(answer.case_id, answer) for answer in answers], case_ids, strict)
    if len(answers) != len(case_ids):
        raise UsageError(f"{len(answers)} predictions for {len(case_ids)} cases")
    if hasattr(predictions, "tolist") and hasattr(predictions, "index"):
        # A column of a table, which may be indexed by the ids; else its index is of rows.
        index = list(map(str, predictions.index))
        if index != list(map(str, range(len(index)))) and {*index} == {*case_ids}:
            return _by_id(zip(index, answers, strict=True), case_ids, strict)
    return _by_id(zip(case_ids, answers, strict=True), case_ids, strict)


def _by_record(
    records: Sequence[Mapping[str, Any]],
    case_ids: Sequence[str],
    columns: Mapping[str, str],
    strict_ids: bool,
) -> list[Predictions]:
    """Predictions of records that name their cases."""
    header = list(dict.fromkeys(name for record in records for name in record))
    columns = {**columns, **other_spellings(header, columns)}
    file = memory_file(columns, case_ids)
    entries: list[PredictionEntry] = []
    missing: list[str] = []
    for number, record in enumerate(records):
        fields = without_gaps(record, columns)
        answers = answer_cells(record, columns)
        if any(value is GAP for value in answers) and not answer_cells(fields, columns):
            name = next((each for each in record if field_of(each, columns) in ID_KEYS), None)
            missing.append(str(record[name]) if name is not None else f"in record {number}")
            continue
        entries += record_entries(fields, f"record {number}", file)
    check_gaps(missing, len(records))
    return pair_entries(Entries(entries), case_ids, IN_MEMORY, strict_ids=strict_ids)


def _by_id(
    predictions: Iterable[tuple[Any, Any]], case_ids: Sequence[str], strict_ids: bool
) -> list[Predictions]:
    """Predictions by id; lists of them are trials."""
    entries: list[PredictionEntry] = []
    missing: list[str] = []
    for key, value in predictions:
        case_id = id_from(read_cell(key), "the predictions", PredictionError)
        where, answer = f"key {key!r}", read_value(value)
        if answer is GAP:
            missing.append(case_id)
        elif isinstance(answer, list | tuple):
            entries += answer_entries({"prediction": list(answer)}, case_id, where, memory_file({}))
        else:
            entries.append(PredictionEntry(case_id, where, _prediction(case_id, answer)))
    check_gaps(missing, len(missing) + len(entries))
    return pair_entries(Entries(entries), case_ids, IN_MEMORY, strict_ids=strict_ids)


def _prediction(case_id: str, answer: Any) -> Prediction:
    """One prediction of a case.

    Raises:
        UsageError: it is of another type.
        PredictionError: it says that it is another case's.
    """
    reply = read_reply(answer)
    if isinstance(reply, Prediction) and reply.case_id != case_id:
        raise PredictionError(
            f"the predictions: the one for case {case_id!r} has the case_id {reply.case_id!r}. "
            f"Expected the same; correct one of them.",
            reason="mismatch",
        )
    return read_prediction(case_id, reply)


def memory_file(columns: Mapping[str, str], case_ids: Sequence[str] = ()) -> PredictionFile:
    """Stands for the file of records that were given in memory."""
    return PredictionFile(Path("the predictions"), case_ids, columns=columns, part="")
