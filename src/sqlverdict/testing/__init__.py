"""Public conformance suites and stand-ins, for plug-ins' tests and our own.

``check_engine``         what every engine promises
``check_metric``         what every metric promises
``FakeItem``             a case whose queries have already been run
``hostile_predictions``  texts that no evaluator should run unguarded, and what must become of them
"""

from sqlverdict.testing.engines import check_engine
from sqlverdict.testing.fakes import FakeItem
from sqlverdict.testing.hostile import Hostile, hostile_predictions, make_database
from sqlverdict.testing.metrics import check_metric

__all__ = [
    "FakeItem",
    "Hostile",
    "check_engine",
    "check_metric",
    "hostile_predictions",
    "make_database",
]
