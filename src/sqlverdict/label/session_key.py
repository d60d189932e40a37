"""The secret of a label folder, in a private file: addresses, ids and orders follow from it.

The file also keeps which pairs were drawn for an estimate.

An address that was sent to an annotator works after a restart: its token and the port stay. Whoever
does not have the secret can compute neither a token, nor from the id of a pair which query is the
gold, nor which query stands first; and the ids of one reader say nothing to another.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from contextlib import suppress
from pathlib import Path

import msgspec

from sqlverdict.errors import DataError
from sqlverdict.files.atomic import write_at_once
from sqlverdict.label.sampling import Draw

KEY_FILE = "session.json"
"""The name of the file; whoever can read it can vote as anybody."""
_SECRET_BYTES = 32
_TOKEN_BYTES = 24
_ID_CHARACTERS = 32


class SessionKey(msgspec.Struct, frozen=True):
    """What lasts of a label folder's server.

    Attributes:
        secret: Random bytes.
        port: The port of the last server; 0: there was none.
        draw: The pairs drawn for an estimate, fixed before the first vote; ``None``: none yet.
    """

    secret: bytes
    port: int = 0
    draw: Draw | None = None

    def token(self, identity: str) -> str:
        """The token that stands for somebody."""
        return urlsafe_b64encode(self._mac("token", identity)[:_TOKEN_BYTES]).decode()

    def pair_id(self, reader: str, pair: str) -> str:
        """The id under which one reader knows a pair."""
        return self._mac("pair", reader, pair).hex()[:_ID_CHARACTERS]

    def _mac(self, *parts: str) -> bytes:
        return hmac.digest(self.secret, msgspec.json.encode(parts), "sha256")


def open_key(folder: Path) -> SessionKey:
    """The key of a label folder; a new one where it has none.

    Raises:
        DataError: the file is no key.
        OSError: it cannot be read or written.
    """
    path = folder / KEY_FILE
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        key = SessionKey(secrets.token_bytes(_SECRET_BYTES))
        save_key(folder, key)
        return key
    with suppress(OSError):
        # A copy of the folder may be open to others.
        path.chmod(0o600)
    try:
        key = msgspec.json.decode(content, type=SessionKey)
    except msgspec.DecodeError as error:
        raise DataError(
            f"{path} cannot be read: {error}. {_REMEDY}", reason="unreadable"
        ) from error
    if len(key.secret) != _SECRET_BYTES or not 0 <= key.port <= 65535:
        raise DataError(f"{path} was changed. {_REMEDY}", reason="changed")
    return key


def save_key(folder: Path, key: SessionKey) -> None:
    """Write the key, for its owner's eyes alone.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_at_once(folder / KEY_FILE, msgspec.json.encode(key), private=True)


_REMEDY = "Remove it: the next start makes a new one, with new addresses for everybody."
