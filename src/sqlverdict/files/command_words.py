"""The words of a command line that is proposed again with other options."""

from __future__ import annotations


def take_option(words: list[str], option: str) -> str | None:
    """Remove an option with its value from the words of a command.

    Args:
        words: The words, which are changed.
        option: The option's name, such as ``--out``.

    Returns:
        The last value, which is the one that counts; ``None`` where the option is not there.
    """
    value = None
    for position in reversed(range(len(words))):
        word = words[position]
        if word.startswith(f"{option}="):
            value = word.partition("=")[2] if value is None else value
            del words[position]
        elif word == option and position + 1 < len(words):
            value = words[position + 1] if value is None else value
            del words[position : position + 2]
    return value
