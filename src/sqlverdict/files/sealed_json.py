"""JSON files with a checksum as their last field: one that was changed afterwards is noticed.

The checksum covers the fields and their values, not the white space between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from sqlverdict.files.atomic import write_at_once

_FIELD = "checksum"


def write_sealed_json(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON object with its checksum, in one step.

    Raises:
        OSError: it cannot be written.
    """
    # Read back first: what is checked later are the plain values of the file.
    plain = msgspec.json.decode(msgspec.json.encode(content))
    plain.pop(_FIELD, None)
    sealed = plain | {_FIELD: _checksum(plain)}
    write_at_once(path, msgspec.json.format(msgspec.json.encode(sealed), indent=2) + b"\n")


def seal_fits(content: bytes) -> bool:
    """Whether a JSON object is as it was written; one without a checksum is not.

    Raises:
        msgspec.DecodeError: it is not a JSON object.
    """
    plain = msgspec.json.decode(content, type=dict[str, Any])
    checksum = plain.pop(_FIELD, None)
    return bool(checksum == _checksum(plain))


def _checksum(plain: Mapping[str, Any]) -> str:
    return blake2b(msgspec.json.encode(plain), digest_size=8).hexdigest()
