"""Public conformance suites and stand-ins, for plug-ins' tests and our own.

``detectors``        ``check_detector``: detectors of unanswerable questions and wrong answers
``generators``       ``check_generator``: generators of queries
``abstain_methods``  what both of them promise alike
``abstain_fixture``  a database, questions and a scripted model for abstention methods
``engines``          ``check_engine``: engines
``engine_data``      the database and the queries of ``check_engine``
``judges``           ``check_judge``: judges
``metrics``          ``check_metric``: metrics
``relations``        ``check_relation``: relations between two answers
``rules``            ``check_rule``: rewriting rules
``rule_suite/``      the parts of ``check_rule``
``strategies``       ``check_strategy``: search strategies
``signs``            ``check_sign``: signs that a query is not what was meant
``members``          the member that a suite is called with
``fakes``            ``FakeItem``: a case whose queries have already been run
``fake_llm``         a scripted server that speaks the chat-completions protocol
``hostile/``         ``hostile_predictions``: texts that no evaluator should run unguarded
``injections``       ``judge_injections``: predictions that talk to the judge
"""

from sqlverdict.testing.detectors import check_detector
from sqlverdict.testing.engines import check_engine
from sqlverdict.testing.fakes import FakeItem
from sqlverdict.testing.generators import check_generator
from sqlverdict.testing.hostile import Hostile, hostile_predictions, make_database
from sqlverdict.testing.injections import Injection, judge_injections
from sqlverdict.testing.judges import check_judge
from sqlverdict.testing.metrics import check_metric
from sqlverdict.testing.relations import check_relation
from sqlverdict.testing.rules import check_rule
from sqlverdict.testing.signs import check_sign
from sqlverdict.testing.strategies import check_strategy

__all__ = [
    "FakeItem",
    "Hostile",
    "Injection",
    "check_detector",
    "check_engine",
    "check_generator",
    "check_judge",
    "check_metric",
    "check_relation",
    "check_rule",
    "check_sign",
    "check_strategy",
    "hostile_predictions",
    "judge_injections",
    "make_database",
]
