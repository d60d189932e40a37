"""Random expressions written without regard to how operators bind, over typed columns.

Most of them run on an engine with enforced types; where a parser binds two operators otherwise than
ours, their answers tell.
"""

from __future__ import annotations

from random import Random

NUMBERS = ("id", "a", "b", "r", "1", "2", "0", "-1", "+ 2", "1.5", "ABS(a)", "LENGTH(s)")
TEXTS = ("s", "'a'", "'b'", "''", "LOWER(s)", "SUBSTR(s, 1, 1)")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "!=")


class OperatorMaker:
    """Makes queries over the table ``t`` of ``query_maker.py``."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def query(self) -> str:
        """One query: a condition in WHERE, or values in the SELECT list."""
        kind = self.rng.randrange(4)
        if kind == 0:
            return f"SELECT id, {self.number(3)} FROM t"
        if kind == 1:
            return f"SELECT id, CASE WHEN {self.truth(3)} THEN 1 ELSE 0 END FROM t"
        if kind == 2:
            return f"SELECT id FROM t UNION SELECT t_id FROM v {self.set_tail()}"
        return f"SELECT id FROM t WHERE {self.truth(4)}"

    def set_tail(self) -> str:
        """More sides of a set operation."""
        sides = ("SELECT a FROM t", "SELECT w FROM u", "SELECT b FROM t WHERE a > 1")
        words = ("UNION", "UNION ALL", "INTERSECT", "EXCEPT")
        return " ".join(
            f"{self.rng.choice(words)} {self.rng.choice(sides)}"
            for _ in range(self.rng.randrange(1, 3))
        )

    def maybe(self, text: str) -> str:
        """Now and then in parentheses."""
        return f"({text})" if self.rng.random() < 0.25 else text

    def number(self, depth: int) -> str:
        """A number."""
        if depth == 0 or self.rng.random() < 0.3:
            return self.rng.choice(NUMBERS)
        left, right = self.number(depth - 1), self.number(depth - 1)
        match self.rng.randrange(6):
            case 0:
                return self.maybe(f"- {left}")
            case 1:
                return f"CASE WHEN {self.truth(depth - 1)} THEN {left} ELSE {right} END"
            case 2:
                return self.maybe(f"{left} / 2")
        return self.maybe(f"{left} {self.rng.choice('+-*')} {right}")

    def truth(self, depth: int) -> str:
        """A condition."""
        if depth > 0 and self.rng.random() < 0.6:
            left, right = self.truth(depth - 1), self.truth(depth - 1)
            match self.rng.randrange(7):
                case 0:
                    return self.maybe(f"NOT {left}")
                case 1:
                    return self.maybe(f"{left} = {right}")
                case 2:
                    return self.maybe(f"{left} IS {self.rng.choice(('', 'NOT '))}NULL")
                case 3 | 4:
                    return self.maybe(f"{left} OR {right}")
            return self.maybe(f"{left} AND {right}")
        one, two, three = (self.number(1) for _ in range(3))
        no = self.rng.choice(("", "NOT "))
        match self.rng.randrange(6):
            case 0:
                return self.maybe(f"{one} {no}BETWEEN {two} AND {three}")
            case 1:
                return self.maybe(f"{one} {no}IN ({two}, {three})")
            case 2:
                return self.maybe(f"{one} IS {no}NULL")
            case 3:
                return self.maybe(f"{self.rng.choice(TEXTS)} {no}LIKE '%a%'")
            case 4:
                texts = self.rng.choice(TEXTS), self.rng.choice(TEXTS)
                return self.maybe(f"{texts[0]} {self.rng.choice(COMPARISONS)} {texts[1]}")
        return self.maybe(f"{one} {self.rng.choice(COMPARISONS)} {two}")
