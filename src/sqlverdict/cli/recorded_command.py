"""The options of the ``evaluate`` command that made a run, read from its manifest."""

from __future__ import annotations

from sqlverdict.cli.command import build
from sqlverdict.cli.options.run import EvaluateArgs
from sqlverdict.errors import RunLogError
from sqlverdict.runlog.run import Run


def evaluate_args(run: Run) -> EvaluateArgs:
    """What the user asked for when the run was made.

    Raises:
        RunLogError: the manifest does not name the command.
    """
    # The command loads what it needs to run; the options alone do not.
    from sqlverdict.cli.commands.runs.evaluate import evaluate

    words = run.manifest.command
    if not words or words[0] != evaluate.name:
        raise RunLogError(
            f"{run.folder} does not say which evaluate command made it: an older version did, or "
            f"another program. Make the run again with evaluate; for other golds alone, give "
            f"evaluate itself --gold-overlay FILE."
        )
    context = evaluate.make_context(evaluate.name, list(words[1:]))
    return build(EvaluateArgs, context.params)
