"""What all integrations share: from what a framework hands over to a score and its reasons.

A framework hands over an output and some records: inputs, expectations, metadata. A
:class:`PairGrader` reads gold, database and question from them by name, asks a
:class:`~sqlverdict.api.scorer.Scorer`, and gives a :class:`PairGrade`. An adapter turns that into
what its framework wants. Unscored is ``None`` here and the framework's own word there, never 0.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import msgspec

from sqlverdict.api.pair_result import PairResult
from sqlverdict.api.scorer import Scorer
from sqlverdict.compare.relation import relation_text
from sqlverdict.errors import BenchmarkError, MissingExtra, UsageError
from sqlverdict.evidence import Refuted, Related
from sqlverdict.evidence_parts import AnswerExcerpt
from sqlverdict.load.fields import contract_from
from sqlverdict.reasons import REASONS, Reason
from sqlverdict.records import Contract, Row, Verdict
from sqlverdict.report.one_run.case import VERDICTS, evidence_lines

NAME = "sql_correct"
"""What the score is called in a framework."""

KEYS: Mapping[str, tuple[str, ...]] = {
    "gold": ("gold", "golds"),
    "prediction": ("sql", "prediction", "output"),
    "db": ("db",),
    "db_id": ("db_id",),
    "question": ("question",),
    "knowledge": ("knowledge", "evidence"),
    "contract": ("contract",),
}
"""The fields of a pair, and the names under which records hold them.

The contract is one field with parts: records have an ``order`` or ``columns`` of their own, which
must not decide how answers are compared.
"""

MOST_ROWS = 5
"""How many rows of a table the metadata of a grade hold."""
MOST_TEXT = 200

Json = None | bool | int | float | str | list[Any] | dict[str, Any]


def load_framework(module: str, extra: str) -> Any:
    """A framework's module, imported when it is first needed.

    Raises:
        MissingExtra: it is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingExtra(f"sqlverdict.integrations.{extra}", extra) from error


@dataclass(frozen=True)
class PairGrade:
    """A result as frameworks want it.

    Attributes:
        result: The whole result.
    """

    result: PairResult

    @property
    def score(self) -> int | None:
        """1 right, 0 wrong, ``None`` unscored or for a person to decide."""
        correct = self.result.correct
        return None if correct is None else int(correct)

    @property
    def label(self) -> str:
        """The verdict, as a word."""
        return self.result.verdict.value

    @property
    def sql(self) -> str | None:
        """The SQL that was taken from the output."""
        return self.result.sql

    @cached_property
    def reason(self) -> str:
        """Why, in one sentence."""
        words = VERDICTS[self.result.verdict]
        detail = _detail(self.result)
        return f"{words}: {detail}" if detail else words

    @cached_property
    def metadata(self) -> dict[str, Json]:
        """Codes, scores, relations, witness and rows that differ, as small JSON."""
        result = self.result
        fields: dict[str, Json] = {
            "verdict": self.label,
            "reasons": [str(code) for code in result.reasons],
            "scores": dict(result.scores),
            "sql": result.sql,
        }
        if result.notes:
            fields["notes"] = list(result.notes)
        if result.relations:
            fields["relations"] = [relation_text(each) for each in result.relations]
        if result.proof is not None:
            fields["proof"] = list(result.proof.rules)
        if result.witness is not None:
            fields["witness"] = witness_tables(result.witness)
        if result.difference is not None:
            fields["missing_rows"] = _rows(result.difference.missing)
            fields["extra_rows"] = _rows(result.difference.extra)
        return fields

    def explain(self) -> str:
        """The verdict, its evidence and the witness, for people and for models that learn."""
        lines = [self.reason]
        lines += [line for line in evidence_lines(self.result.result) if line not in self.reason]
        lines += [f"note: {note}" for note in self.result.notes]
        if self.result.witness is not None:
            lines.append(
                f"witness: {msgspec.json.encode(witness_tables(self.result.witness)).decode()}"
            )
        return "\n".join(lines)


class PairGrader:
    """Grades outputs against the records that a framework holds.

    Args:
        scorer: What to ask; by default one made of the options.
        keys: Other names of fields in the records, such as ``{"gold": "query"}``.
        options: Those of :class:`~sqlverdict.api.scorer.Scorer`.
    """

    def __init__(
        self,
        scorer: Scorer | None = None,
        *,
        keys: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        if scorer is not None and options:
            raise UsageError(f"give a scorer or its options, not both; got {sorted(options)}")
        unknown = sorted(set(keys or {}) - set(KEYS))
        if unknown:
            raise UsageError(f"keys has {unknown}; expected some of {sorted(KEYS)}")
        self.scorer = scorer if scorer is not None else Scorer(**options)
        self._keys = {**KEYS, **{name: (key,) for name, key in (keys or {}).items()}}

    def grade(self, output: object, *records: object) -> PairGrade:
        """Grade one output.

        Args:
            output: SQL, a reply, a record that holds one, or ``None`` for an abstention.
            records: Where gold, database and question are, the first one first. A text is a gold,
                and so is a list of texts.

        Raises:
            UsageError: no record has a gold, or one is of the wrong type.
        """
        fields = self._read(records)
        if "gold" not in fields:
            raise UsageError(
                f"no gold: expected {' or '.join(self._keys['gold'])} in the expected output, the "
                f"inputs or the metadata (null where the question cannot be answered)"
            )
        contract = self._contract(fields.pop("contract", None))
        gold = fields.pop("gold")
        if "db" in fields:
            fields.pop("db_id", None)
        return PairGrade(
            self.scorer.check(
                gold,
                self._prediction(output),
                contract=contract,
                **fields,
            )
        )

    async def agrade(self, output: object, *records: object) -> PairGrade:
        """As :meth:`grade`, from an event loop, which goes on meanwhile."""
        return await asyncio.to_thread(self.grade, output, *records)

    def gold(self, *records: object) -> str | None:
        """The first gold of the records; ``None`` where the question cannot be answered."""
        gold = self._read(records).get("gold")
        return gold if gold is None or isinstance(gold, str) else next(iter(gold), None)

    def _read(self, records: Sequence[object]) -> dict[str, Any]:
        """The fields of a pair, each from the first record that has it."""
        fields: dict[str, Any] = {}
        for record in records:
            if isinstance(record, Mapping):
                for name, keys in self._keys.items():
                    key = next((key for key in keys if key in record), None)
                    if key is None or name == "prediction":
                        continue
                    # A null says something of a gold alone: the question has no answer.
                    if name == "gold" or record[key] is not None:
                        fields.setdefault(name, record[key])
            elif isinstance(record, str | list | tuple):
                fields.setdefault("gold", record)
        return fields

    def _contract(self, value: object) -> Contract | None:
        """The contract of a record: an object, or a contract."""
        try:
            contract = value if isinstance(value, Contract) else contract_from(value, "a record")
        except BenchmarkError as error:
            raise UsageError(
                f"{error} If the field {self._keys['contract'][0]!r} means something else, name "
                f"another: keys={{'contract': 'comparison'}}"
            ) from error
        return None if contract == Contract() else contract

    def _prediction(self, output: object) -> Any:
        if not isinstance(output, Mapping):
            return output
        keys = self._keys["prediction"]
        key = next((key for key in keys if key in output), None)
        if key is None:
            raise UsageError(
                f"the output has the fields {sorted(map(str, output))}; expected one of "
                f"{', '.join(keys)}, or text"
            )
        return output[key]


def witness_tables(witness: Refuted) -> dict[str, Json]:
    """A witness as small tables: what is in the database, and what each query returns."""
    return {
        "sentence": witness.sentence,
        "tables": {
            name: {"columns": list(table.columns), "rows": _rows(table.rows)}
            for name, table in witness.rows.items()
        },
        "gold": _answer(witness.gold),
        "prediction": _answer(witness.prediction),
    }


def _answer(answer: AnswerExcerpt) -> dict[str, Json]:
    if answer.failed is not None:
        return {"failed": str(answer.failed)}
    return {"columns": list(answer.columns), "rows": _rows(answer.rows), "count": answer.count}


def _rows(rows: Sequence[Row]) -> list[Any]:
    return [[_cell(cell) for cell in row] for row in rows[:MOST_ROWS]]


def _cell(cell: object) -> Json:
    """A cell as JSON; what JSON lacks is text."""
    if cell is None or isinstance(cell, bool | int):
        return cell
    if isinstance(cell, float):
        # JSON has neither infinity nor NaN.
        return cell if cell - cell == 0 else str(cell)
    text = cell.hex() if isinstance(cell, bytes) else str(cell)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"


def _detail(result: PairResult) -> str:
    """The strongest thing that is known about a pair, in one sentence."""
    meanings = "; ".join(REASONS[Reason(code)] for code in result.reasons)
    if result.verdict is Verdict.UNSCORED:
        codes = ", ".join(result.reasons)
        return f"{codes} ({result.message or meanings})" if codes else result.message
    if result.verdict in (Verdict.ABSTAINED_RIGHT, Verdict.ABSTAINED_WRONG):
        return ""
    related = [piece for piece in result.evidence if isinstance(piece, Related)]
    if related and result.relations:
        return relation_text(result.relations[0])
    lines = [line for line in evidence_lines(result.result) if not line.startswith(" ")]
    if result.correct is False and meanings and not result.message:
        return meanings
    return lines[0] if lines else meanings
