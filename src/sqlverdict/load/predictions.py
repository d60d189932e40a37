"""Predictions as records: of a file, paired with the cases of a benchmark, or given in memory.

A file has exactly one prediction for every case, or it is an error. A missing, extra or repeated
id, a wrong count, another database than the case's: each is an error that says which, because the
alternative is a score that is wrong in silence. A missing prediction is never an abstention.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType

import msgspec

from sqlverdict.errors import OptionName, Part, PredictionError, UsageError
from sqlverdict.files.digests import sha256_file
from sqlverdict.files.text import count, few_of, is_unicode, near, need_file
from sqlverdict.load.columns.column_map import mapped_names, prediction_column_map
from sqlverdict.load.prediction_entries import Entries, PredictionEntry, check_repeated_ids
from sqlverdict.load.prediction_formats import FORMATS, PredictionFile, detect
from sqlverdict.load.replies.fenced import read_prediction
from sqlverdict.load.replies.notes import FEWEST, shared_end_notes
from sqlverdict.load.submission_folders import FOLDER, read_folder
from sqlverdict.load.trials import check_trials, trials_in_order
from sqlverdict.records import Prediction

_encode = msgspec.msgpack.Encoder().encode


@dataclass(frozen=True, eq=False)
class Predictions(Mapping[str, Prediction]):
    """The predictions of one system by case id, in the order of the cases.

    Attributes:
        by_id: The predictions.
        path: The file they came from.
        format: The format it was read as.
        sha256: The file's digest, for the manifest.
        notes: What a user should know: blank lines, ids that were left out, and so on.
        trial: Which answer to each question these are, where the file has several.
        header: The names of the file's columns or fields, where it has some.
        lacks: The columns of the user's map that it does not have.
        column_note: Which of its columns were taken for what by their cells; one of the notes.
    """

    by_id: Mapping[str, Prediction]
    path: str
    format: str
    sha256: str
    notes: tuple[str, ...] = ()
    trial: str | None = None
    header: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    column_note: str = ""

    def __getitem__(self, case_id: str) -> Prediction:
        return self.by_id[case_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_id)

    def __len__(self) -> int:
        return len(self.by_id)


def load_predictions(
    path: Path | str,
    case_ids: Sequence[str],
    *,
    format: str | None = None,  # noqa: A002 (the word users know)
    db_ids: Sequence[str] | None = None,
    strict_ids: bool = True,
    columns: Mapping[str, str] | None = None,
    sessions: Sequence[int] = (),
    sheet: str = "",
) -> Predictions:
    """Read a prediction file and pair it with the cases.

    The arguments are those of :func:`load_trials`.

    Raises:
        PredictionError: the file cannot be read, does not fit the cases, or has several answers
            to each question.
        UsageError: there is no such format, or the arguments do not fit each other.

    Examples:
        >>> from pathlib import Path
        >>> _ = Path("mine.jsonl").write_text('{"id": "1", "sql": "SELECT 3", "cost": 0.01}')
        >>> sv.load_predictions("mine.jsonl", ["1"])["1"].usage.cost
        0.01
    """
    loaded = load_trials(
        path,
        case_ids,
        format=format,
        db_ids=db_ids,
        strict_ids=strict_ids,
        columns=columns,
        sessions=sessions,
        sheet=sheet,
    )
    if len(loaded) > 1:
        raise PredictionError(
            f"{path} has {len(loaded)} answers to each question. Expected one; `sqlverdict "
            f"evaluate` and `sqlverdict.evaluate_trials` score each of them as a trial.",
            reason="repeated",
        )
    return loaded[0]


def load_trials(
    path: Path | str,
    case_ids: Sequence[str],
    *,
    format: str | None = None,  # noqa: A002 (the word users know)
    db_ids: Sequence[str] | None = None,
    strict_ids: bool = True,
    columns: Mapping[str, str] | None = None,
    sessions: Sequence[int] = (),
    sheet: str = "",
) -> list[Predictions]:
    """Read a prediction file and pair it with the cases, once for each answer to a question.

    Args:
        path: The file, or a folder with a file for each case.
        case_ids: The ids of the cases, in the benchmark's order.
        format: One of :data:`~sqlverdict.load.prediction_formats.FORMATS`; by default it is
            detected.
        db_ids: The database of each case, in the same order; where the file names databases,
            they are checked against it.
        strict_ids: False lets ids be missing (scored as no SQL produced, never as an
            abstention) or unknown (left out), each with a note. Files that pair by position
            must have the right count all the same.
        columns: From names in the file to our fields (``{"usd": "cost"}``; ``off`` leaves one
            out), for formats with named fields.
        sessions: How many turns each conversation has, in the order of the cases
            (``Benchmark.sessions``): in formats of lines, blank lines part them then.
        sheet: The sheet of an Excel file; by default the first that has the columns.

    Raises:
        PredictionError: the file cannot be read or does not fit the cases.
        UsageError: there is no such format, or the arguments do not fit each other.
    """
    path, known = Path(path), (*FORMATS, FOLDER)
    if format is not None and format not in known:
        raise UsageError(
            f"there is no prediction format {format!r}.{near(format, known)} "
            f"Known: {', '.join(known)}"
        )
    if db_ids is not None and len(db_ids) != len(case_ids):
        raise UsageError(f"found {len(db_ids)} db_ids for {len(case_ids)} cases; give one per case")
    databases = dict(zip(case_ids, db_ids, strict=True)) if db_ids is not None else {}
    if len(set(case_ids)) != len(case_ids):
        raise UsageError("the case ids are not unique; each case needs an id of its own")
    mapped = prediction_column_map(columns or {})
    if path.is_dir():
        name = FOLDER
        entries, digest = read_folder(path)
    else:
        need_file(path, PredictionError)
        file = PredictionFile(
            path, case_ids, mapped, db_ids=databases, sessions=sessions, sheet=sheet
        )
        name, digest = format or detect(file), sha256_file(path)
        if name == FOLDER:
            raise UsageError(f"{path} is a file; the prediction format {FOLDER!r} is for folders")
        entries = FORMATS[name](file)
    lacks = tuple(mapped_names(mapped)) if entries.lacks is None else entries.lacks
    names = (entries.header, lacks, entries.column_note)
    source = Predictions({}, str(path), name, digest, (), None, *names)
    return pair_entries(entries, case_ids, source, databases=databases, strict_ids=strict_ids)


def pair_entries(
    entries: Entries,
    case_ids: Sequence[str],
    source: Predictions,
    *,
    databases: Mapping[str, str] = MappingProxyType({}),
    strict_ids: bool = True,
) -> list[Predictions]:
    """Pair entries with the cases: one set of predictions for each trial.

    Args:
        entries: What was read.
        case_ids: The ids of the cases.
        source: Where it was read from; its predictions are not looked at.
        databases: The database of each case, where it is known.
        strict_ids: As in :func:`load_trials`.

    Raises:
        PredictionError: they do not fit the cases.
    """
    path, loaded = source.path, []
    for trial, own in _by_trial(path, entries.predictions).items():
        check_repeated_ids(path, ((entry.case_id, entry.where) for entry in own))
        by_case = {entry.case_id: entry for entry in own}
        notes = [*entries.notes, *_check_ids(path, by_case, case_ids, strict_ids)]
        _check_databases(path, source.format, by_case, databases)
        by_id = {
            case_id: by_case[case_id].prediction if case_id in by_case else Prediction(case_id)
            for case_id in case_ids
        }
        notes += _empty_ones(by_id) + _spoilt_ones(by_id)
        if len(by_id) >= FEWEST:
            notes += shared_end_notes(by_id.values())
        loaded.append(replace(source, by_id=by_id, notes=tuple(notes), trial=trial))
    return loaded


def _by_trial(
    path: str, entries: Sequence[PredictionEntry]
) -> dict[str | None, list[PredictionEntry]]:
    """The entries of each trial; one group without a name where the file has no trials."""
    groups: dict[str, list[PredictionEntry]] = {}
    single = [entry for entry in entries if entry.trial is None]
    if len(single) == len(entries):
        return {None: single}
    if single:
        raise PredictionError(
            f"{path}: some cases have a list of answers or a trial, and others one answer "
            f"({single[0].where}). Expected the same for every case.",
            reason="conflict",
        )
    for entry in entries:
        groups.setdefault(entry.trial or "", []).append(entry)
    ids = {trial: {entry.case_id for entry in own} for trial, own in groups.items()}
    check_trials(ids, path)
    return {trial: groups[trial] for trial in trials_in_order(groups)}


def as_predictions(
    predictions: Mapping[str, Prediction] | Mapping[str, str | None],
) -> dict[str, Prediction]:
    """Predictions as records: text is SQL or a reply, ``None`` is an abstention."""
    return {
        case_id: each
        if isinstance(each, Prediction) and (each.sql is not None or each.answer is not None)
        else read_prediction(case_id, each)
        for case_id, each in predictions.items()
    }


def predictions_digest(predictions: Mapping[str, Prediction]) -> str:
    """The digest of the predictions, for a manifest."""
    encoded = sha256()
    for case_id in sorted(predictions):
        encoded.update(_content(predictions[case_id]))
    return encoded.hexdigest()


def _content(prediction: Prediction) -> bytes:
    try:
        return _encode(prediction)
    except (UnicodeEncodeError, TypeError, OverflowError):
        # Text may hold half a surrogate pair, an answer integers beyond 64 bits.
        return repr(prediction).encode("utf-8", "backslashreplace")


def _check_ids(
    path: str, by_case: Mapping[str, PredictionEntry], case_ids: Sequence[str], strict: bool
) -> list[str]:
    known = set(case_ids)
    missing = [case_id for case_id in case_ids if case_id not in by_case]
    extra = [case_id for case_id in by_case if case_id not in known]
    lacks = f"{len(missing)} of {len(case_ids)} cases have no prediction (id {few_of(missing)})"
    excess = f"{count(len(extra), 'prediction')} with an unknown id ({few_of(extra)})"
    if not strict and len(missing) < len(case_ids):
        notes = [f"{lacks}: scored as no SQL produced"] if missing else []
        return [*notes, f"{excess}: left out"] if extra else notes
    if missing or extra:
        problems = " and ".join([lacks] * bool(missing) + [excess] * bool(extra))
        raise PredictionError(
            f"{path}: {problems}. Expected exactly one for each case. ",
            *_advice(by_case, case_ids, missing, extra),
            reason="incomplete" if missing else "unknown_name",
        )
    return []


def _advice(
    by_case: Mapping[str, PredictionEntry],
    case_ids: Sequence[str],
    missing: Sequence[str],
    extra: list[str],
) -> tuple[Part, ...]:
    bare = {case_id.lstrip("0") for case_id in missing}
    if extra and bare == {case_id.lstrip("0") for case_id in extra}:
        return (
            "They differ by leading zeros alone, which spreadsheets drop: write the ids alike.",
        )
    whole = {case_id.removesuffix(".0") for case_id in missing}
    if extra and whole == {case_id.removesuffix(".0") for case_id in extra}:
        return (
            "They differ by '.0' alone, which tables add to a column of numbers with an empty "
            "cell: write the ids alike.",
        )
    if len(missing) == len(case_ids):
        positions = {str(n) for n in range(len(case_ids))}
        if set(by_case) == positions:
            return (
                f"The keys look like positions, the cases have ids such as {few_of(case_ids, 2)}: "
                f"write each prediction under the id of its case.",
            )
        return ("No id is known at all: is this the file of another benchmark or split?",)
    allow = OptionName("allow_missing", True)
    if missing and not extra:
        return (
            "Write the missing ones (null for an abstention), or pass ",
            allow,
            " to score them as no SQL produced.",
        )
    return ("Correct the ids; ", allow, " leaves unknown ones out.")


def _check_databases(
    path: str, name: str, by_case: Mapping[str, PredictionEntry], databases: Mapping[str, str]
) -> None:
    wrong = [
        entry
        for entry in by_case.values()
        if entry.db_id is not None and databases.get(entry.case_id, entry.db_id) != entry.db_id
    ]
    if not wrong:
        return
    examples = "; ".join(
        f"{entry.where} says {entry.db_id!r}, case {entry.case_id!r} is on "
        f"{databases[entry.case_id]!r}"
        for entry in wrong[:3]
    )
    other = " If its lines merely hold tabs, force the format 'lines'." * (name == "lines_db")
    raise PredictionError(
        f"{path}: {len(wrong)} of {len(by_case)} predictions name another database than their "
        f"case: {examples}. The file seems to be shifted, sorted differently, or of another "
        f"split; write it again in the order of the cases.{other}",
        reason="mismatch",
    )


def _spoilt_ones(by_id: Mapping[str, Prediction]) -> list[str]:
    """A note on predictions that are no Unicode text; no engine takes them."""
    spoilt = [
        case_id
        for case_id, prediction in by_id.items()
        if not is_unicode(prediction.sql or prediction.raw or "")
    ]
    if not spoilt:
        return []
    return [
        f"{count(len(spoilt), 'prediction')} with bytes that are not UTF-8, or half of a surrogate "
        f"pair (id {few_of(spoilt)}): no engine runs such text, and it counts as wrong"
    ]


def _empty_ones(by_id: Mapping[str, Prediction]) -> list[str]:
    """Notes on predictions that hold no SQL, which are easily taken for abstentions."""
    called_null = [
        case_id
        for case_id, prediction in by_id.items()
        if prediction.sql is None and (prediction.raw or "").strip().lower() in ("null", "none")
    ]
    prose = [
        case_id
        for case_id, prediction in by_id.items()
        if prediction.sql is None
        and prediction.answer is None
        and not prediction.abstained
        and (prediction.raw or "").strip()
    ]
    notes = []
    if prose:
        notes.append(
            f"{count(len(prose), 'prediction')} {'has' if len(prose) == 1 else 'have'} text but "
            f"no SQL (id {few_of(prose)}): no marked abstention; the option no_sql says how they "
            "count"
        )
    if called_null:
        notes.append(
            f"{count(len(called_null), 'prediction')} "
            f"{'is' if len(called_null) == 1 else 'are'} the word null (id {few_of(called_null)}): "
            f"an abstention is a JSON null or abstained: true"
        )
    return notes
