"""An input that is given twice where a command takes one: an error, as one would be left out.

Other options may be repeated, and the last one counts: a script can add to a fixed command line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from sqlverdict.cli.options.fields import HeadedOption, Heading
from sqlverdict.cli.options.shared import ReferenceType

_HEADINGS = (
    Heading.DATA,
    Heading.QUESTIONS,
    Heading.LABELS,
    Heading.EVIDENCE,
    Heading.TRAINING,
)
_TEXT_INPUTS = ("benchmark", "predictions")
"""Inputs whose type is a plain text."""
_ADVICE = {
    "cases": "Put the questions into one file, or run the command once for each, with an --out of "
    "its own",
    "databases": "Name the folder that holds them; the field 'db_id' of a case names its database",
    "labels": "Put the labels into one file; 'sqlverdict label RUN --import FILE' takes several",
    "predictions": "Run the command once for each",
}


def check_repeated(order: Sequence[click.Parameter], ctx: click.Context) -> None:
    """Refuse a second input.

    Args:
        order: The parameters of the command line, each as often as it stands there.
        ctx: The command's context, for the message.

    Raises:
        click.UsageError: an input stands there twice.
    """
    for option, times in Counter(each for each in order if _is_one_input(each)).items():
        if times > 1:
            advice = _ADVICE.get(option.name or "", "Leave out all but one")
            raise click.UsageError(
                f"{option.opts[0]} is given {'twice' if times == 2 else f'{times} times'} and "
                f"takes one value: the rest would not be read. {advice}.",
                ctx,
            )


def _is_one_input(parameter: click.Parameter) -> bool:
    if not isinstance(parameter, HeadedOption) or parameter.multiple:
        return False
    is_file = isinstance(parameter.type, click.Path) and parameter.heading in _HEADINGS
    is_named_input = isinstance(parameter.type, ReferenceType) or parameter.name in _TEXT_INPUTS
    return is_file or is_named_input
