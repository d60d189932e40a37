"""What the command line uses too; from Python its errors name arguments, not options."""

from __future__ import annotations

from sqlverdict import pipeline
from sqlverdict.api.argument_words import in_python_words
from sqlverdict.load import predictions
from sqlverdict.runlog import run

evaluate_pairs = in_python_words(pipeline.evaluate_pairs)
evaluate_systems = in_python_words(pipeline.evaluate_systems)
load_predictions = in_python_words(predictions.load_predictions)
read_run = in_python_words(run.read_run)

for _each in (evaluate_pairs, evaluate_systems, load_predictions, read_run):
    # Other processes find a function by the module that holds it.
    _each.__module__ = __name__
