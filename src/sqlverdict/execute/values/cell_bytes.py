"""Cells as bytes: what a cache keeps, and how large an answer is."""

from __future__ import annotations

import msgspec

from sqlverdict.records import ExactNumber

_EXACT = 1
"""The code of an exact number."""


def _pack(number: ExactNumber) -> msgspec.msgpack.Ext:
    return msgspec.msgpack.Ext(_EXACT, number.digits.encode())


def _unpack(code: int, digits: memoryview) -> ExactNumber:
    if code != _EXACT:
        raise ValueError(f"no cell has the code {code}")
    return ExactNumber(bytes(digits).decode())


encode_cells = msgspec.msgpack.Encoder(enc_hook=_pack).encode
"""Rows, or a record that holds rows, as bytes."""
decode_cells = msgspec.msgpack.Decoder(ext_hook=_unpack).decode
"""What :func:`encode_cells` wrote; rows are lists."""
