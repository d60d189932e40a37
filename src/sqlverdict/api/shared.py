"""What the command line uses too; from Python its errors name arguments, not options."""

from __future__ import annotations

from sqlverdict import pipeline
from sqlverdict.api.spelling import names_arguments
from sqlverdict.load import predictions
from sqlverdict.runlog import run

evaluate_pairs = names_arguments(pipeline.evaluate_pairs)
evaluate_systems = names_arguments(pipeline.evaluate_systems)
load_predictions = names_arguments(predictions.load_predictions)
read_run = names_arguments(run.read_run)

for _each in (evaluate_pairs, evaluate_systems, load_predictions, read_run):
    # Other processes find a function by the module that holds it.
    _each.__module__ = __name__
