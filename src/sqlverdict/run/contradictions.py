"""A pair that is both proved and refuted: saved so that it can be looked into, and replayed.

A contradiction is a bug of ours, in a rule, in the search or in a fact that both rest on. Each
gets a text with both queries, the schema and the derivation, and the witness as files. It stops
the run; its line is in the log, unscored, so that the same command goes on behind it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlverdict.compare.preset import DEFAULT_PRESET, PRESETS, QueryPair
from sqlverdict.evidence import Contradicted, Proved, Undecided
from sqlverdict.files.atomic import write_text_at_once
from sqlverdict.records import Answer, Case, Query, Reason
from sqlverdict.run.refute_stage import witness_name

if TYPE_CHECKING:
    from sqlverdict.parse.schema import Schema
    from sqlverdict.refute.witness import Witness
    from sqlverdict.run.inputs import StageInputs

_LARGEST = 256 * 2**20
"""Files above this size, in bytes, are not stored in reverse to see what depends on order."""


def contradiction(
    case: Case,
    prediction: str,
    proof: Proved | Undecided,
    witness: Witness | None,
    schema: Schema | None,
    folder: Path | None,
) -> Contradicted:
    """The contradiction as evidence against ourselves, saved where there is a folder for it.

    Args:
        case: The case.
        prediction: The predicted query.
        proof: The proof, as evidence.
        witness: The database that refutes it; ``None`` where the real one does.
        schema: The tables.
        folder: Where it is saved.
    """
    against = "a witness" if witness is not None else "the real database"
    message = (
        f"proved to be equal, and refuted by {against}: a bug of sqlverdict. "
        "Please report it with the saved files."
    )
    file = ""
    if folder is not None:
        file = _save(case, prediction, proof, witness, schema, folder).name
    return Contradicted(
        "toolkit",
        (Reason.TOOLKIT_ERROR,),
        message,
        against="witness" if witness is not None else "real",
        file=file,
    )


def _save(
    case: Case,
    prediction: str,
    proof: Proved | Undecided,
    witness: Witness | None,
    schema: Schema | None,
    folder: Path,
) -> Path:
    from sqlverdict.refute.witness_files import safe_name, write

    folder.mkdir(parents=True, exist_ok=True)
    name = witness_name(case, prediction)
    text = folder / f"{safe_name(name)}.txt"
    lines = _text(case, prediction, proof, schema)
    if witness is not None:
        files = write(witness, folder, name, contract=case.contract)
        replay = next(file for file in files if file.suffix == ".sql")
        lines += ["", "Refuted by:", f"  sqlverdict refute --replay {replay.name}"]
    else:
        lines += ["", "Refuted by the answers on the real database:", f"  {case.database}"]
    write_text_at_once(text, "\n".join(lines) + "\n", errors="backslashreplace")
    return text


def _text(
    case: Case, prediction: str, proof: Proved | Undecided, schema: Schema | None
) -> list[str]:
    derivation = proof if isinstance(proof, Proved) else proof.declared or Proved("prove")
    return [
        "A contradiction: these two queries are proved to be equal, and they differ.",
        "",
        f"Case: {case.id}  Database: {case.db_id}",
        *(f"Gold: {gold}" for gold in case.golds),
        f"Prediction: {prediction}",
        "",
        f"Proved under the profile {derivation.profile}:",
        *(f"  {number}. {step}" for number, step in enumerate(derivation.steps, 1)),
        f"  both are: {derivation.form}",
        *_schema_lines(schema),
    ]


def _schema_lines(schema: Schema | None) -> list[str]:
    if schema is None:
        return []
    from sqlverdict.judge.briefs.schema_text import schema_text

    return ["", "Schema:", schema_text(schema)]


def explained_by_order(inputs: StageInputs) -> bool:
    """Whether answers that differ may differ by the order of rows, or by themselves, alone.

    A query that picks among tied rows, shows a column beside an aggregate, or joins texts in
    the order of rows may give several answers; two queries that are proved to be equal may
    then give different ones. Each is asked again with its ties broken one way and the other,
    and with rows stored in reverse: where it gives something else, order explains it. So does a
    collation under which the two show equal texts for a group.
    """
    from sqlverdict.execute.reversed_copy import ReversedCopy
    from sqlverdict.prove.reasoning.open_choices import shows_any_row
    from sqlverdict.refute.trial.determined import is_order_free
    from sqlverdict.refute.trial.tie_breaks import broken_ties

    schema = inputs.schema()
    if schema is not None and _shows_equal_texts(inputs, schema):
        return True
    compare = PRESETS.get(DEFAULT_PRESET).compare
    with ReversedCopy(Path(inputs.database), _LARGEST) as backwards:
        for sql in (*inputs.case.golds, inputs.prediction.sql or ""):
            answer = inputs.run(sql)
            if not isinstance(answer, Answer):
                continue
            if answer.volatile:
                return True
            query = inputs.query(sql)
            if isinstance(query, Query) and schema is not None:
                if is_order_free(query, schema):
                    continue
                # Such an answer looks the same in any order of rows, and is open all the same.
                if shows_any_row(query, schema):
                    return True
            pair = QueryPair(sql, sql, probe=inputs.run)
            others = (*map(inputs.run, broken_ties(sql)), backwards.run(sql))
            if any(isinstance(o, Answer) and not compare(answer, o, pair).equal for o in others):
                return True
    return False


def _shows_equal_texts(inputs: StageInputs, schema: Schema) -> bool:
    """Whether the answers differ in nothing but the text that the engine takes for a group."""
    from sqlverdict.refute.target.chosen_texts import chosen_places, equal_but_for_texts

    prediction, answer = inputs.predicted_query(), inputs.answer()
    for query, gold in zip(inputs.gold_queries(), inputs.golds(), strict=True):
        if not isinstance(query, Query) or not isinstance(prediction, Query):
            continue
        if isinstance(gold, Answer) and isinstance(answer, Answer):
            places = chosen_places(query, prediction, schema)
            pair = QueryPair(query.sql, prediction.sql, query.dialect, probe=inputs.run)
            preset = PRESETS.get(DEFAULT_PRESET)
            if equal_but_for_texts(preset, (gold, answer), pair, places) is not False:
                return True
    return False
