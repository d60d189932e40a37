"""Policies: what each situation amounts to, without a judge and with one.

============================  ============  ============  =============  ====================
situation                     results       strict        intent         a judge is asked by
============================  ============  ============  =============  ====================
contradiction                 unscored      unscored      unscored       nobody
proved                        correct       correct       correct        nobody
tie_witness                   incorrect     incorrect     incorrect      strict, intent
duplicates_witness            correct       correct       correct        nobody
constant_match                correct       incorrect     needs_review   nobody
empty_match_witness           correct       incorrect     needs_review   strict, intent
ordinary_witness              correct       incorrect     correct        strict
ungraded_witness              correct       incorrect     correct        strict
null_in_aggregate             correct       incorrect     correct        nobody
tied_rows_lost                correct       incorrect     correct        strict
undetermined_prediction       correct       incorrect     needs_review   strict, intent
unusual_witness               correct       correct       correct        strict
barred_match                  correct       incorrect     needs_review   nobody
unsearched_empty              correct       needs_review  needs_review   nobody
unsearched_match              correct       needs_review  correct        nobody
match                         correct       correct       correct        nobody
failed                        incorrect     incorrect     incorrect      nobody
tied_difference               incorrect     incorrect     needs_review   strict, intent
trivial_difference            incorrect     correct       correct        nobody
unsearched_difference         incorrect     needs_review  needs_review   strict, intent
fewer_columns                 incorrect     incorrect     needs_review   strict, intent
harmless_difference           incorrect     correct       needs_review   intent
null_rows_difference          incorrect     incorrect     needs_review   strict, intent
generated_same                incorrect     incorrect     correct        strict
generated_form                incorrect     incorrect     correct        strict
generated_near                incorrect     incorrect     correct        strict, intent
generated_columns             incorrect     incorrect     needs_review   strict, intent
gold_suspect                  incorrect     incorrect     needs_review   strict, intent
difference                    incorrect     incorrect     incorrect      strict, intent
fault                         unscored      unscored      unscored       nobody
fits_a_tie                    correct       correct       correct        nobody
unsearched_tie                needs_review  needs_review  needs_review   strict, intent
open                          needs_review  needs_review  needs_review   nobody
============================  ============  ============  =============  ====================

``results`` is the benchmark's own comparison. ``strict`` follows FLEX's experts: a match by luck
is wrong. ``intent`` asks whether the answer serves the question, and is the default. The labels
behind every line are counted in ``docs/measurements/agreement.md``. How probable it is that people
call an answer right follows from its situation (:mod:`sqlverdict.confidence`), whatever the policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sqlverdict.situations import Situation

Decision = Literal["correct", "incorrect", "needs_review", "unscored", "ask"]


@dataclass(frozen=True)
class Policy:
    """What each situation amounts to.

    Attributes:
        name: The policy's name in options and manifests.
        about: What it is for, in a sentence.
        table: The decision for every situation, without a judge.
        asks: The situations about which a judge is asked, where there is one.
    """

    name: str
    about: str
    table: Mapping[Situation, Decision]
    asks: frozenset[Situation] = field(default_factory=frozenset)

    def decide(self, situation: Situation, *, judged: bool = False) -> Decision:
        """What a situation amounts to; ``judged``: there is a judge to ask."""
        return "ask" if judged and situation in self.asks else self.table[situation]


_IN_ALL_POLICIES: Mapping[Situation, Decision] = {
    Situation.CONTRADICTION: "unscored",
    Situation.PROVED: "correct",
    Situation.TIE_WITNESS: "incorrect",
    Situation.DUPLICATES_WITNESS: "correct",
    Situation.MATCH: "correct",
    Situation.FAILED: "incorrect",
    Situation.DIFFERENCE: "incorrect",
    Situation.FAULT: "unscored",
    Situation.FITS_A_TIE: "correct",
    Situation.UNSEARCHED_TIE: "needs_review",
    Situation.OPEN: "needs_review",
}
"""What every policy agrees on."""

RESULTS = Policy(
    "results",
    "the benchmark's own comparison: results alone",
    {
        **_IN_ALL_POLICIES,
        Situation.CONSTANT_MATCH: "correct",
        Situation.EMPTY_MATCH_WITNESS: "correct",
        Situation.ORDINARY_WITNESS: "correct",
        Situation.UNGRADED_WITNESS: "correct",
        Situation.NULL_IN_AGGREGATE: "correct",
        Situation.TIED_ROWS_LOST: "correct",
        Situation.UNDETERMINED_PREDICTION: "correct",
        Situation.UNUSUAL_WITNESS: "correct",
        Situation.BARRED_MATCH: "correct",
        Situation.UNSEARCHED_EMPTY: "correct",
        Situation.UNSEARCHED_MATCH: "correct",
        Situation.TIED_DIFFERENCE: "incorrect",
        Situation.TRIVIAL_DIFFERENCE: "incorrect",
        Situation.UNSEARCHED_DIFFERENCE: "incorrect",
        Situation.FEWER_COLUMNS: "incorrect",
        Situation.HARMLESS_DIFFERENCE: "incorrect",
        Situation.NULL_ROWS_DIFFERENCE: "incorrect",
        Situation.GENERATED_SAME: "incorrect",
        Situation.GENERATED_FORM: "incorrect",
        Situation.GENERATED_NEAR: "incorrect",
        Situation.GENERATED_COLUMNS: "incorrect",
        Situation.GOLD_SUSPECT: "incorrect",
    },
)

STRICT = Policy(
    "strict",
    "as FLEX's experts judge: a match by luck is wrong",
    {
        **_IN_ALL_POLICIES,
        Situation.CONSTANT_MATCH: "incorrect",
        Situation.EMPTY_MATCH_WITNESS: "incorrect",
        Situation.ORDINARY_WITNESS: "incorrect",
        Situation.UNGRADED_WITNESS: "incorrect",
        Situation.NULL_IN_AGGREGATE: "incorrect",
        Situation.TIED_ROWS_LOST: "incorrect",
        Situation.UNDETERMINED_PREDICTION: "incorrect",
        Situation.UNUSUAL_WITNESS: "correct",
        Situation.BARRED_MATCH: "incorrect",
        Situation.UNSEARCHED_EMPTY: "needs_review",
        Situation.UNSEARCHED_MATCH: "needs_review",
        Situation.TIED_DIFFERENCE: "incorrect",
        Situation.TRIVIAL_DIFFERENCE: "correct",
        Situation.UNSEARCHED_DIFFERENCE: "needs_review",
        Situation.FEWER_COLUMNS: "incorrect",
        Situation.HARMLESS_DIFFERENCE: "correct",
        Situation.NULL_ROWS_DIFFERENCE: "incorrect",
        Situation.GENERATED_SAME: "incorrect",
        Situation.GENERATED_FORM: "incorrect",
        Situation.GENERATED_NEAR: "incorrect",
        Situation.GENERATED_COLUMNS: "incorrect",
        Situation.GOLD_SUSPECT: "incorrect",
    },
    frozenset(
        {
            Situation.TIE_WITNESS,
            Situation.EMPTY_MATCH_WITNESS,
            Situation.ORDINARY_WITNESS,
            Situation.UNGRADED_WITNESS,
            Situation.TIED_ROWS_LOST,
            Situation.UNDETERMINED_PREDICTION,
            Situation.UNUSUAL_WITNESS,
            Situation.TIED_DIFFERENCE,
            Situation.UNSEARCHED_DIFFERENCE,
            Situation.FEWER_COLUMNS,
            Situation.GENERATED_SAME,
            Situation.GENERATED_FORM,
            Situation.NULL_ROWS_DIFFERENCE,
            Situation.GENERATED_NEAR,
            Situation.GENERATED_COLUMNS,
            Situation.GOLD_SUSPECT,
            Situation.DIFFERENCE,
            Situation.UNSEARCHED_TIE,
        }
    ),
)

INTENT = Policy(
    "intent",
    "whether the answer serves the question",
    {
        **_IN_ALL_POLICIES,
        Situation.CONSTANT_MATCH: "needs_review",
        Situation.EMPTY_MATCH_WITNESS: "needs_review",
        Situation.ORDINARY_WITNESS: "correct",
        Situation.UNGRADED_WITNESS: "correct",
        Situation.NULL_IN_AGGREGATE: "correct",
        Situation.TIED_ROWS_LOST: "correct",
        Situation.UNDETERMINED_PREDICTION: "needs_review",
        Situation.UNUSUAL_WITNESS: "correct",
        Situation.BARRED_MATCH: "needs_review",
        Situation.UNSEARCHED_EMPTY: "needs_review",
        Situation.UNSEARCHED_MATCH: "correct",
        Situation.TIED_DIFFERENCE: "needs_review",
        Situation.TRIVIAL_DIFFERENCE: "correct",
        Situation.UNSEARCHED_DIFFERENCE: "needs_review",
        Situation.FEWER_COLUMNS: "needs_review",
        Situation.HARMLESS_DIFFERENCE: "needs_review",
        Situation.NULL_ROWS_DIFFERENCE: "needs_review",
        Situation.GENERATED_SAME: "correct",
        Situation.GENERATED_FORM: "correct",
        Situation.GENERATED_NEAR: "correct",
        Situation.GENERATED_COLUMNS: "needs_review",
        Situation.GOLD_SUSPECT: "needs_review",
    },
    frozenset(
        {
            Situation.TIE_WITNESS,
            Situation.EMPTY_MATCH_WITNESS,
            Situation.UNDETERMINED_PREDICTION,
            Situation.TIED_DIFFERENCE,
            Situation.UNSEARCHED_DIFFERENCE,
            Situation.FEWER_COLUMNS,
            Situation.HARMLESS_DIFFERENCE,
            Situation.NULL_ROWS_DIFFERENCE,
            Situation.GENERATED_NEAR,
            Situation.GENERATED_COLUMNS,
            Situation.GOLD_SUSPECT,
            Situation.DIFFERENCE,
            Situation.UNSEARCHED_TIE,
        }
    ),
)

POLICIES: Mapping[str, Policy] = {policy.name: policy for policy in (RESULTS, STRICT, INTENT)}
"""The policies by name."""
