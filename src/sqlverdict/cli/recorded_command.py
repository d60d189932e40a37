"""The options of the ``evaluate`` command that made a run, read from its manifest."""

from __future__ import annotations

from pathlib import Path

import click

from sqlverdict.cli.options.fields import build
from sqlverdict.cli.options.run import EvaluateArgs
from sqlverdict.errors import RunLogError
from sqlverdict.runlog.manifest import Manifest


def evaluate_args(folder: Path, manifest: Manifest) -> EvaluateArgs:
    """What the user asked for when the run was made.

    Raises:
        RunLogError: the manifest does not name the command, or files of it are gone.
    """
    # The command loads what it needs to run; the options alone do not.
    from sqlverdict.cli.commands.runs.evaluate import evaluate

    words = manifest.command
    if not words or words[0] != evaluate.name:
        raise RunLogError(
            f"{folder} does not say which evaluate command made it: an older version did, or "
            f"another program."
        )
    try:
        context = evaluate.make_context(evaluate.name, list(words[1:]))
    except click.ClickException as error:
        raise RunLogError(
            f"the evaluate command of {folder} cannot be read again: {error.format_message()} "
            f"Start in the folder where it was given."
        ) from error
    return build(EvaluateArgs, context.params)
