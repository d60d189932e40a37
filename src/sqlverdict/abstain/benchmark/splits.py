"""Who goes where: by question and by template, or by database.

**By question and template** (one database, or many that train and test share). Questions are
split 6:2:2. Then 20 % of the templates are kept for validation alone and another 20 % for test
alone, so that train knows 60 % of the templates, validation and test 80 % each: 60 % that train
knows (*seen*) and 20 % that it does not (*unseen*). What was asked with a template that is now
kept for one part goes to that part (``move``), or stays there and is left out elsewhere
(``drop``, which gives the proportions of TrustSQL's published ATIS and Advising parts).

Two promises hold whatever the data are: a template kept for one part occurs in no other, and
*seen* means that train really holds the template. To keep them, a template's first question goes
to its home (train, or the part it is kept for); a template with five questions or more is in
every part it may be in. Templates with fewer cannot be everywhere, and the counts tell.

**By database**: train stays as it is, and the other databases are halved into validation and
test, as evenly in questions as a hundred draws find. All of it is unseen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from sqlverdict.abstain.benchmark.chance import shuffled
from sqlverdict.errors import OptionName, UsageError

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
Leftover = Literal["move", "drop"]

_ENOUGH = 5
"""With five questions a template can be in all parts and keep 6:2:2."""

_OVERDRAFT = 1.0
"""How many cases a part may be above its share for a template that it does not have yet."""

_DRAWS = 100
_HALVES: tuple[Part, ...] = ("validation", "test")


@dataclass(frozen=True)
class SplitPlan:
    """How to split by question and template.

    Attributes:
        parts: The shares of train, validation and test, in any unit.
        unseen: The share of templates kept for validation, and again for test.
        leftover: What becomes of questions whose template is kept for another part.
        seed: Decides all draws.
    """

    parts: tuple[float, float, float] = (6, 2, 2)
    unseen: float = 0.2
    leftover: Leftover = "move"
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.parts) < 0 or self.parts[0] <= 0:
            raise UsageError(f"the parts are {self.parts}; expected shares such as 6:2:2")
        if not 0 <= self.unseen < 0.5:
            raise UsageError(
                f"the unseen share is {self.unseen}; expected 0 to below 0.5: it is taken twice, "
                "for validation and for test"
            )


@dataclass(frozen=True)
class SplitItem:
    """A case to be put into a part.

    ``wording`` is the same for questions that are one (they stay together), ``template`` for
    queries that are one.
    """

    id: str
    wording: str
    template: str


@dataclass(frozen=True)
class Split:
    """The part of each case and template.

    Attributes:
        parts: The part of each item; ``None``: left out.
        template_parts: The part that each template is kept for; ``train``: it may be in all.
        by_question: The part of each item before templates were kept apart.
    """

    parts: Mapping[str, Part | None]
    template_parts: Mapping[str, Part]
    by_question: Mapping[str, Part]


def split_by_template(items: Sequence[SplitItem], plan: SplitPlan | None = None) -> Split:
    """Split by question and by template.

    Items of one wording stay together; where they have several templates, these go together
    too, so that neither a question nor a template is on both sides.
    """
    plan = plan or SplitPlan()
    blocks = _blocks(items)
    reserved = _reserved_parts(blocks, plan)
    by_question = _questions(blocks, reserved, plan)
    parts: dict[str, Part | None] = {}
    for block, members in blocks.items():
        home = reserved[block]
        for item in members:
            now = by_question[item.id]
            if home != "train" and now != home:
                parts[item.id] = home if plan.leftover == "move" else None
            else:
                parts[item.id] = now
    return Split(
        parts,
        {
            item.template: reserved[block]
            for block, block_items in blocks.items()
            for item in block_items
        },
        by_question,
    )


def split_by_database(sizes: Mapping[str, int], seed: int = 0) -> dict[str, Part]:
    """Halve databases into validation and test.

    Args:
        sizes: How many questions each database has.
        seed: Decides the halves.

    Raises:
        UsageError: there are fewer than two databases.
    """
    if len(sizes) < 2:
        raise UsageError(
            f"found {len(sizes)} database; a split by database needs two at least. Split by "
            "question and template instead (without ",
            OptionName("cross_database", True),
            ")",
        )
    best: dict[str, Part] = {}
    least = None
    for number in range(_DRAWS):
        halves: dict[str, Part] = {}
        totals: Counter[Part] = Counter()
        counts: Counter[Part] = Counter()
        for db_id in shuffled(sizes, seed, "halves", str(number)):
            half = min(_HALVES, key=lambda part: (totals[part], counts[part]))
            halves[db_id] = half
            totals[half] += sizes[db_id]
            counts[half] += 1
        apart = abs(totals["validation"] - totals["test"])
        if least is None or apart < least:
            best, least = halves, apart
    return best


def joined(pairs: Iterable[tuple[str, str]], every: Iterable[str]) -> dict[str, str]:
    """Things that are joined, directly or through others, under the name of the smallest."""
    leader = {name: name for name in every}

    def find(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for one, other in pairs:
        first, second = sorted((find(one), find(other)))
        leader[second] = first
    return {name: find(name) for name in leader}


def _blocks(items: Sequence[SplitItem]) -> dict[str, list[SplitItem]]:
    """Items by template, where templates that share a wording are one block."""
    first: dict[str, str] = {}
    # In a fixed order, so that the same ties come out of any order of items.
    ties = [
        (first.setdefault(item.wording, item.template), item.template)
        for item in sorted(items, key=lambda item: (item.template, item.id))
    ]
    leader = joined(ties, {item.template for item in items})
    blocks: dict[str, list[SplitItem]] = {}
    for item in items:
        blocks.setdefault(leader[item.template], []).append(item)
    return blocks


def _reserved_parts(blocks: Mapping[str, list[SplitItem]], plan: SplitPlan) -> dict[str, Part]:
    unseen = round(plan.unseen * len(blocks))
    if unseen and 2 * unseen >= len(blocks):
        unseen = (len(blocks) - 1) // 2
    order = shuffled(blocks, plan.seed, "homes")
    return {
        block: "validation" if position < unseen else "test" if position < 2 * unseen else "train"
        for position, block in enumerate(order)
    }


def _questions(
    blocks: Mapping[str, list[SplitItem]], reserved: Mapping[str, Part], plan: SplitPlan
) -> dict[str, Part]:
    """The question-based split: 6:2:2 over all, each template's first question at home."""
    whole = sum(plan.parts)
    shares = {part: share / whole for part, share in zip(PARTS, plan.parts, strict=True)}
    placed: dict[str, Part] = {}
    totals: Counter[Part] = Counter()
    for block in shuffled(blocks, plan.seed, "blocks"):
        wordings: dict[str, list[SplitItem]] = {}
        for item in blocks[block]:
            wordings.setdefault(item.wording, []).append(item)
        open_: list[Part] = [part for part in PARTS if shares[part] and part != reserved[block]]
        for position, wording in enumerate(shuffled(wordings, plan.seed, "questions", block)):
            weight = len(wordings[wording])
            if position == 0:
                part = reserved[block]
            else:
                lacking = {
                    each: shares[each] * (totals.total() + weight) - totals[each] for each in PARTS
                }
                # Parts that do not have the template yet come first, unless they are full.
                enough = len(wordings) >= _ENOUGH
                able = [each for each in open_ if enough or lacking[each] > -_OVERDRAFT]
                part = max(able or PARTS, key=lacking.__getitem__)
            if part in open_:
                open_.remove(part)
            totals[part] += weight
            placed |= dict.fromkeys((item.id for item in wordings[wording]), part)
    return placed
