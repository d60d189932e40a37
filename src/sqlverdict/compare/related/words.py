"""A relation in words, with what makes it worth less."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlverdict.compare.relation import relation_sentence
from sqlverdict.evidence import Relation

_WEAK = "weak: may be chance"
_CONSTANT = "it reads no data for this"
_ALTERNATIVES = "with other numbers beside it"
_BROKEN = "it does not hold on another legal database"
"""What makes a relation worth less, in words."""


def relation_words(relation: Relation) -> str:
    """What a relation says."""
    words = relation_sentence(relation)
    # It may be of another version, or of a plug-in that is not installed.
    return _as_json(relation.detail) if words is None else words


def relation_text(relation: Relation, *, with_kind: bool = True) -> str:
    """A relation in words, with its name and what makes it worth less.

    Args:
        relation: The relation.
        with_kind: Whether its name stands behind it.
    """
    proof = relation.proof
    doubts = {
        _WEAK: proof.weak,
        _CONSTANT: bool(proof.constant),
        _ALTERNATIVES: bool(proof.alternatives),
        _BROKEN: relation.broken is not None,
    }
    notes = [relation.kind] if with_kind else []
    notes += [words for words, holds in doubts.items() if holds]
    return relation_words(relation) + (f" ({'; '.join(notes)})" if notes else "")


def _as_json(detail: Mapping[str, Any]) -> str:
    return json.dumps(detail, ensure_ascii=False, default=str)
