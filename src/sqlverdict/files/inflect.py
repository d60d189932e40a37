"""English nouns by the regular rules. Exceptions are the caller's: they depend on the use."""

from __future__ import annotations

_HISSING = ("s", "x", "z", "ch", "sh")


def regular_plural(noun: str) -> str:
    """``city`` is ``cities``, ``class`` is ``classes``, ``song`` is ``songs``."""
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "i", "o", "u"):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(_HISSING) else "s")


def regular_singular(noun: str) -> str:
    """``cities`` is ``city``, ``classes`` is ``class``; what is no plural stays as it is."""
    if len(noun) < 4 or not noun.endswith("s"):
        return noun
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    if noun.endswith(("sses", "xes", "ches", "shes", "zes")):
        return noun[:-2]
    return noun if noun.endswith(("ss", "us")) else noun[:-1]
