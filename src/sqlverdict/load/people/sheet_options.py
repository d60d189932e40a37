"""Which options a sheet of labels needs, where its names do not say which field is which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlverdict.errors import OptionName
from sqlverdict.load.columns.ids import distinct_columns

_UNKNOWN = "NAME"
_MOST = 3
"""So many columns are named that may hold the ids."""


def sheet_options(
    names: Sequence[str],
    records: Sequence[Mapping[str, Any]],
    label_columns: Sequence[str],
    *,
    lacks_id: bool,
    lacks_label: bool,
) -> tuple[tuple[OptionName, ...], ...]:
    """The options that may be meant, all that are missing at once.

    Args:
        names: The fields of the sheet.
        records: Its rows.
        label_columns: The fields whose cells are labels.
        lacks_id: The id is missing.
        lacks_label: The label is missing; several columns of labels are annotators.
    """
    rest = [name for name in names if name not in label_columns]
    ids = (distinct_columns(rest, records) or [_UNKNOWN])[:_MOST] if lacks_id else []
    labels: list[OptionName] = []
    if lacks_label and len(label_columns) > 1:
        labels = [OptionName("votes", name) for name in label_columns]
    elif lacks_label:
        labels = [OptionName("label_field", *(label_columns or [_UNKNOWN]))]
    if not lacks_id:
        return (tuple(labels),)
    return tuple((OptionName("id_field", name), *labels) for name in ids)
