"""One HTML file with proposed golds, to accept, edit or reject them; it needs no server.

The page keeps decisions in the browser and downloads them as a file of corrected golds
(:mod:`sqlverdict.load.overlays`), each with who decided, when, why, and where the query comes from.
A gold that stays is in the file as it was. Nothing else is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from sqlverdict.audit.gold import Suspect
from sqlverdict.audit.proposal import Proposal
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.item import show_pair
from sqlverdict.label.layout_sql import layout_pair
from sqlverdict.web.assets import one_file

PAGES = "sqlverdict.label.page"


def review_page(
    benchmark: str,
    suspects: Sequence[Suspect],
    proposals: Mapping[str, Sequence[Proposal]],
    databases: CaseDatabases,
) -> bytes:
    """The file; the queries run now.

    Args:
        benchmark: The benchmark's name.
        suspects: The golds, the most suspect first; those without a proposal are left out.
        proposals: What is proposed, by case.
        databases: Runs the queries.
    """
    items = [
        _item(suspect, proposals[suspect.case.id], databases)
        for suspect in suspects
        if proposals.get(suspect.case.id)
    ]
    key = blake2b(msgspec.json.encode(items), digest_size=8).hexdigest()
    data = {"key": key, "benchmark": benchmark, "items": items}
    return one_file(PAGES, "review.html", {}, msgspec.json.encode(data)).encode()


def _item(
    suspect: Suspect, proposals: Sequence[Proposal], databases: CaseDatabases
) -> dict[str, Any]:
    case = suspect.case
    raised = [f"odds x{one.odds:.1f}: {one.words}" for one in suspect.raised_by]
    return {
        "pair": case.id,
        "id": case.id,
        "db_id": case.db_id,
        "question": case.question,
        "earlier": case.earlier or None,
        "knowledge": suspect.knowledge or "",
        "rank": suspect.rank,
        "suspicions": [*raised, *(f"{one.name}: {one.message}" for one in suspect.suspicions)],
        "gold": case.gold,
        "proposals": [_proposal(one, databases) for one in proposals],
    }


def _proposal(proposal: Proposal, databases: CaseDatabases) -> dict[str, Any]:
    own = proposal.candidate
    result = proposal.result
    content = show_pair(result.id, result, databases, "gold")
    # An accepted text goes into a file: the page shows it as it is there.
    texts = layout_pair(result.gold[0], own.sql)
    sides = [
        msgspec.structs.replace(side, pieces=pieces)
        for side, pieces in zip((content.a, content.b), texts, strict=True)
    ]
    return {
        "content": msgspec.structs.replace(content, a=sides[0], b=sides[1]),
        "sql": own.sql,
        "source": own.source,
        "reason": own.reason,
        "changes": proposal.change_words(),
        "sentence": "" if proposal.witness is None else proposal.witness.sentence,
        "systems": own.systems,
        "proved": own.proved,
        "removes": proposal.removes,
        "adds": proposal.adds,
        "to_right": proposal.to_right,
        "to_wrong": proposal.to_wrong,
    }
