"""One HTML file with an annotator's queue inside, for people without Python.

Results are computed beforehand. The page keeps votes in the browser and downloads them as a file
that ``label --import`` reads. It holds no metric, verdict or system, and not which query is the
gold: a vote is about query A and query B, and the label folder knows which was which.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from sqlverdict.label.ballot import categories_for
from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.item import show_item
from sqlverdict.label.queue import LabelQueue, chance, first_side
from sqlverdict.label.session import token_subject
from sqlverdict.label.session_key import SessionKey
from sqlverdict.label.without_sql import item_without_sql
from sqlverdict.load.people.votes import VOTE_SCHEMA, Mode
from sqlverdict.web.assets import one_file

PAGES = "sqlverdict.label.page"
_SWAPS = {"server_store.js": "offline_store.js"}


def offline_page(
    queue: LabelQueue,
    databases: CaseDatabases,
    annotator: str,
    key: SessionKey,
    mode: Mode = "queries",
) -> bytes:
    """The file of one annotator; the queries run now.

    Args:
        queue: The pairs.
        databases: Runs the queries.
        annotator: Who votes.
        key: The label folder's.
        mode: Whether the queries are shown, or their results alone.
    """
    items = []
    for pair in queue.order:
        first = first_side(key.secret, pair, annotator)
        item_id = key.pair_id(token_subject(annotator), pair)
        content = show_item(replace(queue.items[pair], pair=item_id), databases, first)
        items.append(content if mode == "queries" else item_without_sql(content))
    data = {
        "vote_schema": VOTE_SCHEMA,
        "annotator": annotator,
        "queue": queue.text,
        "mode": mode,
        "key": chance(0, queue.text, *queue.order, secret=key.secret).hex(),
        "categories": categories_for(blind=True, mode=mode),
        "items": items,
    }
    return one_file(PAGES, "label.html", _SWAPS, msgspec.json.encode(data)).encode()
