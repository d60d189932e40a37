"""Batches of pairs in, the same batches with results out: for Ray Data, Dask and Spark.

These engines send a callable to their workers and call it there with one batch after another. A
:class:`BatchEvaluator` can be pickled, opens databases where it works, and turns what goes wrong
with a row into a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, fields
from typing import Any, TypeVar, cast

from sqlverdict.api.arguments import read_cell, read_columns, read_count
from sqlverdict.api.closing import Closing
from sqlverdict.api.scorer import Scorer
from sqlverdict.errors import SqlverdictError, UsageError
from sqlverdict.files.text import near
from sqlverdict.records import Reason, Verdict
from sqlverdict.run.garbage import seldom_collecting

Batch = TypeVar("Batch")

_NEEDED = ("gold", "prediction")
_FIELDS = (*_NEEDED, "abstained", "db", "db_id", "question", "knowledge")
_MISSING = "the row has no prediction; an abstention is a row whose column 'abstained' is true"


@dataclass(frozen=True)
class BatchRow:
    """What a batch says of one pair.

    Attributes:
        score: The value of the first metric; ``None``: unscored.
        verdict: What the evidence amounts to.
        reasons: Reason codes, separated by commas.
        message: What went wrong, in words.
        more: The values of the other metrics.
    """

    score: float | None
    verdict: str
    reasons: str
    message: str
    more: tuple[float | None, ...] = ()


class BatchEvaluator(Closing):
    """Scores batches: a dict of columns, a list of dicts, or a DataFrame of pandas.

    A batch has the columns ``gold`` and ``prediction``, and may have ``db`` or ``db_id``,
    ``question`` and ``knowledge``; their meaning is that of :meth:`Scorer.check`. An empty
    gold is a question without an answer. An abstention is a row whose column ``abstained`` is
    true. An empty prediction without it is a missing one, as a join leaves it: the row is
    incorrect, with the reason ``NO_SQL_PRODUCED`` and a message, and never an abstention. The
    batch comes back with the columns ``score``, ``verdict``, ``reasons`` and ``message``, and one
    for each further metric.

    Args:
        columns: From names in the batch to ours: ``{"gold_sql": "gold"}``.
        prefix: Stands before the names of the new columns.
        threads: How many threads work on one batch; 0: the one that calls.
        options: Those of :class:`Scorer`: ``metrics``, ``databases``, ``timeout`` ...

    Raises:
        UsageError: an option or a column is not known.

    Examples:
        >>> evaluator = sv.BatchEvaluator(db="shop.sqlite")
        >>> batch = {"gold": ["SELECT count(*) FROM item"] * 2, "prediction": ["SELECT 3", None]}
        >>> evaluator(batch)["score"]
        [1.0, 0.0]
        >>> evaluator.close()
    """

    def __init__(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        prefix: str = "",
        threads: int = 0,
        **options: Any,
    ) -> None:
        names = read_columns(columns, "columns")
        for name, target in names.items():
            if target not in _FIELDS:
                raise UsageError(
                    f"column {name!r} cannot be read as {target!r}.{near(target, _FIELDS)} "
                    f"Fields: {', '.join(_FIELDS)}"
                )
        self._names = {target: name for name, target in names.items()}
        self._scorer = Scorer(**options)
        self._threads = read_count(threads, "threads")
        labels = [spec.label for spec in self._scorer.plan.specs]
        own = [each.name for each in fields(BatchRow) if each.name != "more"]
        self._first, *self._others = labels
        self.new_columns: tuple[str, ...] = tuple(f"{prefix}{each}" for each in own + self._others)

    def close(self) -> None:
        """Close all databases; the evaluator can be used again."""
        self._scorer.close()

    def __call__(self, batch: Batch) -> Batch:
        """The batch with results, in a container of the same kind.

        Raises:
            UsageError: it is no batch, lacks a column, or has one of the new columns already.
        """
        if isinstance(batch, Mapping):
            return cast("Batch", self._columns(batch))
        if isinstance(batch, list):
            return cast("Batch", self._records(batch))
        if hasattr(batch, "columns") and hasattr(batch, "assign"):
            return cast("Batch", self._frame(batch))
        raise UsageError(
            f"a batch is {type(batch).__name__}; expected a dict of columns, a list of dicts, or a "
            f"DataFrame of pandas"
        )

    def _columns(self, batch: Mapping[str, Any]) -> dict[str, Any]:
        names = self._read_names(list(batch))
        columns = {field: batch[name] for field, name in names.items()}
        lengths = {len(column) for column in columns.values()}
        if len(lengths) > 1:
            raise UsageError(f"the columns of a batch have different lengths: {sorted(lengths)}")
        rows = self._rows(
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        )
        return dict(batch) | self._results(rows)

    def _records(self, batch: list[Any]) -> list[dict[str, Any]]:
        for record in batch:
            if not isinstance(record, Mapping):
                raise UsageError(f"a row is {type(record).__name__}; expected a dict")
        if not batch:
            return []
        pairs = [
            {field: record[name] for field, name in self._read_names(list(record)).items()}
            for record in batch
        ]
        rows = self._rows(pairs)
        return [
            dict(record) | dict(zip(self.new_columns, _flat(row), strict=True))
            for record, row in zip(batch, rows, strict=True)
        ]

    def _frame(self, frame: Any) -> Any:
        names = self._read_names([str(name) for name in frame.columns])
        columns = [frame[name].tolist() for name in names.values()]
        rows = self._rows(
            [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        )
        import pandas  # type: ignore[import-untyped,unused-ignore]

        # The types do not depend on the values: all batches of a table must have the same.
        words = {self.new_columns[number] for number in (1, 2, 3)}
        series = {
            name: pandas.Series(
                values, index=frame.index, dtype="object" if name in words else "float64"
            )
            for name, values in self._results(rows).items()
        }
        return frame.assign(**series)

    def _read_names(self, present: Sequence[str]) -> dict[str, str]:
        """The names of a batch's columns by our fields."""
        repeated = [name for name in self.new_columns if name in present]
        if repeated:
            raise UsageError(
                f"the batch has a column {repeated[0]!r} already; give prefix='sqlverdict_' or "
                f"another"
            )
        names = {field: self._names.get(field, field) for field in _FIELDS}
        for field, name in names.items():
            if name not in present and (field in _NEEDED or field in self._names):
                raise UsageError(
                    f"the batch has no column {name!r}; it has {', '.join(present)}. Map another "
                    f"name with columns={{'NAME': {field!r}}}"
                )
        return {field: name for field, name in names.items() if name in present}

    @seldom_collecting()
    def _rows(self, pairs: Sequence[Mapping[str, Any]]) -> list[BatchRow]:
        if not self._threads:
            return [self._row(pair) for pair in pairs]
        with ThreadPoolExecutor(self._threads) as pool:
            return list(pool.map(self._row, pairs))

    def _row(self, pair: Mapping[str, Any]) -> BatchRow:
        try:
            arguments = {field: read_cell(cell) for field, cell in pair.items()}
            texts = {field: arguments.get(field) or "" for field in ("question", "knowledge")}
            abstained = _is_true(arguments.pop("abstained", None))
            missing = not abstained and arguments["prediction"] in (None, "")
            if missing:
                arguments["prediction"] = ""
            elif abstained and arguments["prediction"] not in (None, ""):
                raise UsageError("the row both abstains and has a prediction; expected one")
            elif abstained:
                arguments["prediction"] = None
            result = self._scorer.check(**(arguments | texts))
        except SqlverdictError as error:
            return self._failed(str(error), "")
        except Exception as error:  # noqa: BLE001 - one row must not end the work on a whole table
            return self._failed(f"{type(error).__name__}: {error}", Reason.TOOLKIT_ERROR)
        return BatchRow(
            result.scores[self._first],
            str(result.verdict),
            ", ".join(result.reasons),
            result.message or (_MISSING if missing else ""),
            tuple(result.scores[label] for label in self._others),
        )

    def _failed(self, message: str, reason: str) -> BatchRow:
        more = (None,) * len(self._others)
        return BatchRow(None, str(Verdict.UNSCORED), str(reason), message, more)

    def _results(self, rows: Sequence[BatchRow]) -> dict[str, list[Any]]:
        flat = [_flat(row) for row in rows]
        return {name: [row[at] for row in flat] for at, name in enumerate(self.new_columns)}


def _is_true(cell: Any) -> bool:
    """Whether a cell says that the system abstained; an empty one does not.

    Raises:
        UsageError: it is neither true nor false.
    """
    if cell is None or isinstance(cell, bool):
        return bool(cell)
    raise UsageError(f"'abstained' is {cell!r}; expected true or false")


def _flat(row: BatchRow) -> list[Any]:
    *own, more = astuple(row)
    return [*own, *more]
