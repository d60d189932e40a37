"""Regular expressions as patterns of LIKE: what they begin with, and what they contain."""

from __future__ import annotations

import re

_REST = re.compile(r"[\\\[(){}?+*|^$].*", re.DOTALL)
_GROUP = re.compile(
    r"(?P<begin>\^?)\((?:\?:)?(?P<parts>[^()|]+(?:\|[^()|]+)+)\)(?P<rest>.*)", re.DOTALL
)
_SET = re.compile(r"(?P<begin>\^?)\[(?P<parts>[^\]\\^-][^\]\\-]*)\](?P<rest>.*)", re.DOTALL)
_MOST = 4
"""So many alternatives are looked at."""
_ONE, _MANY = "\0", "\1"
"""What stands for . and .* while a regular expression is cut."""


def like_pattern(regex: str) -> str | None:
    """A LIKE pattern for texts of which many match a regular expression; ``None``: none is known.

    Of alternatives the first is taken; behind the first special character anything may follow.
    """
    text = regex.split("|")[0]
    begins, ends = text.startswith("^"), text.endswith("$")
    text = text.removeprefix("^").lstrip("(").removesuffix("$")
    text = text.replace(".*", _MANY).replace(".+", _ONE + _MANY).replace(".", _ONE)
    plain = _REST.sub("", text)
    if not plain.strip(_ONE + _MANY):
        return None
    pattern = plain.replace(_ONE, "_").replace(_MANY, "%")
    closes = ends and plain == text
    return f"{'' if begins else '%'}{pattern}{'' if closes else '%'}".replace("%%", "%")


def like_patterns(regex: str) -> list[str]:
    """A LIKE pattern for each of the first alternatives, or letters, that a text may begin with."""
    group, letters = _GROUP.fullmatch(regex), _SET.fullmatch(regex)
    match = group or letters
    if match is not None:
        parts = match["parts"].split("|") if group else list(match["parts"])
        texts = [f"{match['begin']}{part}{match['rest']}" for part in parts[:_MOST]]
    else:
        texts = regex.split("|")[:_MOST] if "(" not in regex and "[" not in regex else []
    patterns = [like_pattern(text) for text in texts] if len(texts) > 1 else []
    return [pattern for pattern in dict.fromkeys(patterns) if pattern is not None]
