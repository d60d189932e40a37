"""More evidence against an answer never raises its probability, whatever the labels."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sqlverdict.confidence.counts import STEP_OF, Count
from sqlverdict.confidence.model import Model
from sqlverdict.evidence import Refuted
from sqlverdict.verdicts import INTENT, decide
from test_policies import CASE, PREDICTION, SEARCHED, SITUATIONS


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 20)), min_size=30, max_size=30))
def test_a_witness_never_raises_the_probability(counts: list[tuple[int, int]]) -> None:
    cells = {
        situation: {"ours": Count(min(right, labels), labels, labels)}
        for situation, (right, labels) in zip(sorted(STEP_OF), counts, strict=False)
    }
    model = Model(cells=cells)
    for situation, evidence in SITUATIONS.items():
        without = tuple(piece for piece in evidence if not isinstance(piece, Refuted))
        if without == evidence or situation not in STEP_OF:
            continue
        p = decide(CASE, PREDICTION, evidence, INTENT, model=model).p_right
        for less in (without, (*without, SEARCHED)):
            before = decide(CASE, PREDICTION, less, INTENT, model=model).p_right
            assert p is not None
            assert before is not None
            assert p <= before + 1e-4, (situation, less)
