"""Public conformance suites and stand-ins, for plug-ins' tests and our own.

``check_detector``       what every detector of unanswerable questions and wrong answers promises
``check_engine``         what every engine promises
``check_generator``      what every generator of queries promises
``check_judge``          what every judge promises
``check_metric``         what every metric promises
``check_rule``           what every rewriting rule promises
``check_sign``           what every sign that a query is not what was meant promises
``FakeItem``             a case whose queries have already been run
``hostile_predictions``  texts that no evaluator should run unguarded, and what must become of them
``judge_injections``     predictions that talk to the judge
"""

from sqlverdict.testing.detectors import check_detector
from sqlverdict.testing.engines import check_engine
from sqlverdict.testing.fakes import FakeItem
from sqlverdict.testing.generators import check_generator
from sqlverdict.testing.hostile import Hostile, hostile_predictions, make_database
from sqlverdict.testing.injections import Injection, judge_injections
from sqlverdict.testing.judges import check_judge
from sqlverdict.testing.metrics import check_metric
from sqlverdict.testing.rules import check_rule
from sqlverdict.testing.signs import check_sign

__all__ = [
    "FakeItem",
    "Hostile",
    "Injection",
    "check_detector",
    "check_engine",
    "check_generator",
    "check_judge",
    "check_metric",
    "check_rule",
    "check_sign",
    "hostile_predictions",
    "judge_injections",
    "make_database",
]
