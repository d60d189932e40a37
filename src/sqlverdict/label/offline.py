"""One HTML file with an annotator's queue inside, for people without Python.

Results are computed beforehand. The page keeps votes in the browser and downloads them as a file
that ``label --import`` and ``agree`` read. It holds no metric, verdict or system; which query is
the gold is in its source, for it makes labels of votes.
"""

from __future__ import annotations

import msgspec

from sqlverdict.label.databases import CaseDatabases
from sqlverdict.label.item import show_item
from sqlverdict.label.queue import LabelQueue, chance, first_side
from sqlverdict.label.session import categories_for
from sqlverdict.load.people.votes import VOTE_SCHEMA
from sqlverdict.web.assets import one_file

PAGES = "sqlverdict.label.page"
_SWAPS = {"server_store.js": "offline_store.js"}


def offline_page(
    queue: LabelQueue, name: str, seed: int, databases: CaseDatabases, annotator: str
) -> bytes:
    """The file of one annotator; the queries run now.

    Args:
        queue: The pairs.
        name: The queue's name.
        seed: The seed of the queue and of the order of queries.
        databases: Runs the queries.
        annotator: Who votes.
    """
    items = []
    for pair in queue.order:
        first = first_side(seed, pair, annotator)
        items.append({"item": show_item(queue.items[pair], databases, first), "first": first})
    data = {
        "vote_schema": VOTE_SCHEMA,
        "annotator": annotator,
        "queue": f"{name}, seed {seed}",
        "key": chance(seed, *queue.order).hex(),
        "categories": categories_for(blind=True),
        "items": items,
    }
    return one_file(PAGES, "label.html", _SWAPS, msgspec.json.encode(data)).encode()
