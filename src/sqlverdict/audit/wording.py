"""When two questions are the same words."""

from __future__ import annotations

import unicodedata


def wording_key(text: str) -> str:
    """One spelling for texts that differ in case, spaces or the mark at their end."""
    words = unicodedata.normalize("NFKC", text).casefold().split()
    return " ".join(words).rstrip(" .?!")
