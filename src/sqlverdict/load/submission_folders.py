"""Predictions that are a folder: one file per case, ``<id>.sql`` or ``<id>.csv``.

A ``.sql`` file holds a query, or a reply with a query in a block; a ``.csv`` file holds a result,
which is compared without running anything. Other files are left alone, with a note.
"""

from __future__ import annotations

import re
from pathlib import Path

from sqlverdict.errors import PredictionError
from sqlverdict.files.digests import sha256_files
from sqlverdict.files.result_csv import parse_result
from sqlverdict.files.text import count, few_of, read_any_text
from sqlverdict.load.prediction_entries import Entries, PredictionEntry
from sqlverdict.load.replies.fenced import text_prediction
from sqlverdict.records import Prediction

FOLDER = "folder"
"""The name of the format."""
_BLOCK = re.compile(r"```sql\n(.*?)\n```", re.DOTALL)


def read_folder(path: Path) -> tuple[Entries, str]:
    """The predictions of a folder, and a digest of its files.

    Raises:
        PredictionError: a case has two files, or there is none at all.
    """
    files = sorted(file for file in path.iterdir() if file.is_file())
    used = [file for file in files if file.suffix in (".sql", ".csv")]
    if not used:
        raise PredictionError(
            f"{path} holds no <id>.sql and no <id>.csv; found {few_of(f.name for f in files)}. "
            f"Give a prediction file, or a folder with one file per case.",
            reason="empty",
        )
    others = [file.name for file in files if file not in used and not file.name.startswith(".")]
    notes = (
        [f"{count(len(others), 'file is', 'files are')} not used ({few_of(others)})"]
        if others
        else []
    )
    entries = [PredictionEntry(file.stem, file.name, _read(file)) for file in used]
    broken = [
        entry.case_id
        for entry in entries
        if entry.where.endswith(".csv") and entry.prediction.answer is None
    ]
    if broken:
        notes.append(f"{count(len(broken), 'result')} cannot be read as CSV (id {few_of(broken)})")
    return Entries(entries, tuple(notes)), sha256_files(used)


def _read(file: Path) -> Prediction:
    if not file.stat().st_size:
        return Prediction(file.stem)
    text = read_any_text(file, PredictionError)
    if file.suffix == ".csv":
        try:
            answer = parse_result(text, file.name, PredictionError)
        except PredictionError:
            # The scorer calls a broken result wrong; so it is a reply without an answer.
            return Prediction(file.stem, raw=text)
        return Prediction(file.stem, answer=answer)
    block = _BLOCK.search(text)
    return text_prediction(file.stem, block[1] if block else text)
