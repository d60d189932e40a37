"""One HTML file with an annotator's queue inside, for people without Python.

Results are computed beforehand. The page keeps votes in the browser and downloads them as a file
that ``label --import`` and ``agree`` read. It holds no metric, verdict or system; which query is
the gold is in its source, for it makes labels of votes.
"""

from __future__ import annotations

import msgspec

from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.item import show_item
from sqlverdict.label.queue import chance
from sqlverdict.label.session import CATEGORIES, LabelSession
from sqlverdict.load.people.votes import VOTE_SCHEMA
from sqlverdict.web.assets import one_file

PAGES = "sqlverdict.label.page"
_SWAPS = {"server_store.js": "offline_store.js"}


def offline_page(session: LabelSession, databases: CaseDatabases, annotator: str) -> bytes:
    """The file of one annotator; the queries run now."""
    items = []
    for pair in session.assignment[annotator]:
        first = session.first(annotator, pair)
        items.append({"item": show_item(session.item(pair), databases, first), "first": first})
    data = {
        "vote_schema": VOTE_SCHEMA,
        "annotator": annotator,
        "queue": f"{session.name}, seed {session.seed}",
        "key": chance(session.seed, *session.assignment[annotator]).hex(),
        "categories": CATEGORIES,
        "items": items,
    }
    return one_file(PAGES, "label.html", _SWAPS, msgspec.json.encode(data)).encode()
