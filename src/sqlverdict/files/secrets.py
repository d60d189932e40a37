"""Addresses of servers without what may be secret in them.

A base URL may hold a user name, a password or a key (``?code=...``). It is sent as it is, and
shown without: in reports, manifests, messages and cache keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote

REDACTED = "[redacted]"
_HARMLESS = frozenset({"api-version", "attach", "version", "deployment", "model", "region"})
_ADDRESS = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,20}://)(?P<rest>[^\s'\"<>]*)")
_PLAIN = "/=:@,;+ "
"""Signs that need no spelling of their own there."""
_SHORTEST = 4
"""Shorter values are words of any text; to take them out would say nothing and harm it."""


def without_secrets(text: str) -> str:
    """A text with every URL in it as it may be shown."""
    if "://" not in text:
        return text
    return _ADDRESS.sub(lambda match: match["scheme"] + _without_user(match["rest"]), text)


def _without_user(rest: str) -> str:
    """What follows ``https://``, without user, password, fragment and unknown parameters."""
    before, mark, behind = rest.partition("?")
    host, slash, path = before.partition("#")[0].partition("/")
    address = host.rpartition("@")[2] + slash + path
    if "@" in path or ";" in path:
        # A password with a slash in it, or parameters of a path: nobody needs to see those.
        address = f"{host.rpartition('@')[2]}/{REDACTED}"
    return f"{address}?{shown_query(behind.partition('#')[0])}" if mark else address


def shown_query(query: str) -> str:
    """A query with its parameters' names, and the values of those that are never secret."""
    return "&".join(
        f"{name}={quote(value, safe=_PLAIN)}" if name.lower() in _HARMLESS else f"{name}={REDACTED}"
        for name, value in parse_qsl(query, keep_blank_values=True)
    )


def secret_values(parameters: Iterable[tuple[str, str]]) -> list[str]:
    """The values that may be secret, as they are and as a URL spells them, longest first."""
    values = {
        text
        for name, value in parameters
        if name.lower() not in _HARMLESS and len(value) >= _SHORTEST
        for text in (value, quote(value, safe=""), quote(value))
    }
    return sorted(values, key=lambda value: (-len(value), value))
