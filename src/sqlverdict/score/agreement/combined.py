"""Several judges as one, by a stated rule: ``any(ex, flex)``, ``majority(a, b, c)``.

* ``any``: right where any member says right. ``any(ex, flex)`` is "match or judge".
* ``all``: right where every member says right.
* ``majority``: what most of those who have an opinion say; a tie is no opinion.
* ``weighted``: the members' opinions weighted by how often each was right. With n1 labels right and
  n0 wrong, a member that calls r1 of the first and r0 of the second right adds
  log((r1 + 1) / (n1 + 2)) - log((r0 + 1) / (n0 + 2)) where it says right, and the same of what it
  calls wrong where it says wrong; log((n1 + 1) / (n0 + 1)) is added once. Above 0 is right. The
  labels behind the weights of a case are those of other groups, so that no case weighs itself: a
  group is a database where there are five of them or more, else a case.

Example: a says right, b and c say wrong. ``any`` is right, ``all`` and ``majority`` are wrong.
Where a was right about 9 of 10 right and all of 10 wrong ones, and b and c say wrong whatever they
see, ``weighted`` is right.

In ``majority`` and ``weighted`` a member without an opinion takes no part. ``any`` and ``all`` have
no opinion where a member has none, though another may have settled it: else the cases that are
left would be those on which one answer is likelier, and agreement could not be told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from math import log

from sqlverdict.errors import UsageError

_Votes = defaultdict[tuple[int, bool, bool], float]
_Labels = defaultdict[bool, float]

Opinions = Sequence[bool | None]
"""What each member says of one case; ``None``: nothing."""

EACH = "*"
"""In place of a member: every judge in turn."""
WEIGHTED = "weighted"
FEWEST_GROUPS = 5


@dataclass(frozen=True)
class Combined:
    """A rule and its members, by name."""

    rule: str
    members: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.rule}({', '.join(self.members)})"


def parse_combined(text: str) -> Combined:
    """Read ``RULE(NAME, NAME ...)``.

    Raises:
        UsageError: it is not of that form, or there is no such rule.
    """
    rule, bracket, rest = text.strip().partition("(")
    rule = rule.strip().lower()
    names = tuple(part.strip() for part in rest.removesuffix(")").split(","))
    if not bracket or not rest.endswith(")") or not all(names) or len(set(names)) < len(names):
        raise UsageError(
            f"{text!r} is not a combination. Expected RULE(NAME, NAME), each name once."
        )
    if rule not in RULES:
        raise UsageError(f"{text!r}: there is no rule {rule!r}. Known: {', '.join(RULES)}.")
    if len(names) < 2:
        raise UsageError(f"{text!r} has one member. Expected two or more.")
    return Combined(rule, names)


def combine_judges(
    rule: str,
    opinions: Sequence[Opinions],
    labels: Sequence[bool] = (),
    groups: Sequence[Hashable] = (),
    weights: Sequence[float] = (),
) -> list[bool | None]:
    """What several judges say together, case by case.

    Args:
        rule: One of :data:`RULES`.
        opinions: For each case what each member says; ``None``: nothing.
        labels: People's labels, case by case; for ``weighted`` alone.
        groups: Which cases belong together, such as their databases; for ``weighted`` alone.
        weights: What each case counts; by default all count alike; for ``weighted`` alone.

    Raises:
        UsageError: there is no such rule, or ``weighted`` lacks labels.
    """
    if rule not in RULES:
        raise UsageError(f"there is no rule {rule!r}. Known: {', '.join(RULES)}.")
    if rule != WEIGHTED:
        return [_PLAIN[rule](each) for each in opinions]
    if len(labels) != len(opinions):
        raise UsageError(
            f"the rule weighted needs a label for each of {len(opinions)} cases; found "
            f"{len(labels)}"
        )
    kinds: Sequence[Hashable] = groups if len(set(groups)) >= FEWEST_GROUPS else ()
    return _weighted(opinions, labels, kinds or range(len(opinions)), weights)


def _any(opinions: Opinions) -> bool | None:
    return None if None in opinions or not opinions else True in opinions


def _all(opinions: Opinions) -> bool | None:
    return None if None in opinions or not opinions else False not in opinions


def _majority(opinions: Opinions) -> bool | None:
    right, wrong = opinions.count(True), opinions.count(False)
    return None if right == wrong else right > wrong


_PLAIN: dict[str, Callable[[Opinions], bool | None]] = {
    "majority": _majority,
    "any": _any,
    "all": _all,
}
RULES = (*_PLAIN, WEIGHTED)
"""The rules by which judges are combined."""


def _weighted(
    opinions: Sequence[Opinions],
    labels: Sequence[bool],
    groups: Sequence[Hashable],
    weights: Sequence[float] = (),
) -> list[bool | None]:
    """Counts over all cases less those of the case's own group."""
    whole, marked = _Votes(int), _Labels(int)
    own: dict[Hashable, _Votes] = {}
    own_marked: dict[Hashable, _Labels] = {}
    counts = weights or [1] * len(labels)
    for case_opinions, label, group, weight in zip(opinions, labels, groups, counts, strict=True):
        for votes in (whole, own.setdefault(group, _Votes(int))):
            for member, vote in enumerate(case_opinions):
                if vote is not None:
                    votes[member, vote, label] += weight
        marked[label] += weight
        own_marked.setdefault(group, _Labels(int))[label] += weight
    return [
        _by_weight(each, whole, own[group], marked, own_marked[group])
        for each, group in zip(opinions, groups, strict=True)
    ]


def _by_weight(
    opinions: Opinions,
    whole: _Votes,
    own: _Votes,
    marked: _Labels,
    own_marked: _Labels,
) -> bool | None:
    def times(member: int, vote: bool, label: bool) -> float:
        return whole[member, vote, label] - own[member, vote, label]

    votes = [(member, vote) for member, vote in enumerate(opinions) if vote is not None]
    if not votes:
        return None
    rights, wrongs = (marked[label] - own_marked[label] for label in (True, False))
    total = log((rights + 1) / (wrongs + 1))
    for member, vote in votes:
        for label, sign in ((True, 1), (False, -1)):
            voted = times(member, True, label) + times(member, False, label)
            total += sign * log((times(member, vote, label) + 1) / (voted + 2))
    return None if total == 0 else total > 0
