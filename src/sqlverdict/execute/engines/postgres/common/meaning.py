"""What a part of a tree of PostgreSQL's parser says, as bytes."""

from __future__ import annotations

from typing import Any, Final

from sqlverdict.parse.tokens import word_set

_PLACES: Final = word_set("stmt_len rexpr_list_start rexpr_list_end list_start list_end")


def part_meaning(message: Any) -> bytes:
    """A part of a tree as bytes, without the places in the text."""
    copy = type(message)()
    copy.CopyFrom(message)
    _forget_places(copy)
    return bytes(copy.SerializeToString(deterministic=True))


def _forget_places(message: Any) -> None:
    for field, value in message.ListFields():
        if field.name.endswith("location") or field.name in _PLACES:
            message.ClearField(field.name)
        elif field.message_type is not None:
            for each in value if field.is_repeated else (value,):
                _forget_places(each)
