"""``--judge-set NAME=VALUE``: a judge's settings from text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from sqlverdict.errors import UsageError
from sqlverdict.judge.opinion import Settings

_BOOLEANS = {
    **dict.fromkeys(("yes", "true", "on", "1"), True),
    **dict.fromkeys(("no", "false", "off", "0"), False),
}
_FIXED = ("model", "prompts", "sample")
"""Settings that have options of their own, or that a run decides."""


def judge_settings(pairs: Sequence[str], model: str, prompts: Path | None) -> Settings:
    """The settings that the user changed, the others as by default.

    Args:
        pairs: ``NAME=VALUE`` each.
        model: The model's name.
        prompts: The folder of the user's own prompts.

    Raises:
        UsageError: there is no such setting, or it cannot have that value.
    """
    usual = Settings()
    known = {each.name: getattr(usual, each.name) for each in fields(Settings)}
    changed: dict[str, Any] = {}
    for text in pairs:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign or name not in known or name in _FIXED:
            settable = ", ".join(each for each in known if each not in _FIXED)
            raise UsageError(f"--judge-set {text!r}: expected NAME=VALUE, with one of {settable}")
        changed[name] = _converted(name, value, known[name])
    return Settings(**{**changed, "model": model, "prompts": prompts})


def _converted(name: str, text: str, usual: object) -> object:
    """A text as a value of the type that the setting has by default."""
    try:
        if isinstance(usual, bool):
            return _BOOLEANS[text.lower()]
        if isinstance(usual, tuple):
            return tuple(part.strip() for part in text.split(",") if part.strip())
        if isinstance(usual, float):
            return float(text)
        if isinstance(usual, int) or name == "seed":
            return int(text)
    except (KeyError, ValueError):
        raise UsageError(f"--judge-set {name}={text}: this value does not fit") from None
    return text
