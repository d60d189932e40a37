"""Texts around which lexers differ: literals, gaps and calls in every spelling, then small damage.

A text is a SELECT list. Its items are literals whose value is known to the engine alone, and calls
that must never be reached. Gaps hold comments of every dialect, control characters and odd spaces.
At last some pieces are cut out, doubled or put elsewhere: that is where one lexer sees a string and
another sees code.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

SECRET = "S3CRET-7f1c"
"""What stands in files, settings and tables that no query may read."""

_CONTENT = (
    *("a", "b", "'", "''", '"', "`", "\\", "\\'", "\\\\", "\\n", "\\x27", "\\0", "$", "$$", "$a$"),
    *("--", "-- ", "--\x7f", "/*", "*/", "/*!", "#", ";", "\n", "\r", "\t", "\x0b", "\x0c", "\x7f"),
    *(
        "\u00a0",
        "\u2028",
        "\u0085",
        "\u3000",
        "ä",
        "\U0001f600",
        "%",
        "%s",
        "?",
        ":x",
        "@",
        "{",
        "}",
    ),
    *("E'", "U&'", "N'", "_utf8'", "x'", "\x1a", "\x01", "\x1f", " ", "!", "\\002B", "\\+00002B"),
)
_GAPS = (
    *(
        "",
        "",
        "",
        " ",
        " ",
        " ",
        "\n",
        "\t",
        "\r\n",
        "\x0b",
        "\x0c",
        "\x7f",
        "\u00a0",
        "\ufeff",
        "\x01",
    ),
    *(
        "-- x\n",
        "--\n",
        "--\x7f'\n",
        "--x\n",
        "--\t'\n",
        "--\x0b'\n",
        "--\x01'\n",
        "-- x\r",
        "--\u00a0'\n",
    ),
    *(
        "/* x */",
        "/**/",
        "/* ' */",
        "/* /* */ */",
        "/* /* */",
        "/*! 1 */",
        "/*!50000 */",
        "/*M! */",
    ),
    *("/*+ x */", "# x\n", "#'\n", "\\\n", "--'\r\n", "/*'*/ /*'*/", "/*!99999 ' */", "/*!\n'*/"),
)
_DAMAGE = (
    *(
        "'",
        '"',
        "`",
        "\\",
        "--",
        "/*",
        "*/",
        "$$",
        "$a$",
        "\n",
        "#",
        "/*!",
        "*/'",
        "'/*",
        ";",
        "E",
        "U&",
    ),
    *(
        "\x7f",
        "\x00",
        "N",
        "X",
        "B",
        "_latin1",
        "_utf8mb4 ",
        "q'[",
        "]'",
        "\\'",
        "''",
        " UESCAPE '!'",
        "::text",
    ),
)


def gap(chance: Random) -> str:
    """What stands between two tokens."""
    return "".join(chance.choice(_GAPS) for _ in range(chance.choice((0, 1, 1, 1, 2, 3))))


def content(chance: Random) -> str:
    """What stands inside of quotes; it may end them."""
    return "".join(chance.choice(_CONTENT) for _ in range(chance.randint(0, 6)))


def literal(chance: Random, styles: Sequence[str]) -> str:
    """A literal: most end where they seem to, some do not.

    Args:
        chance: Decides.
        styles: Patterns with a pair of braces for the content.
    """
    style = chance.choice(styles)
    text = content(chance)
    if chance.random() < 0.7:
        text = text.replace("'", "''")
    return style.replace("{}", text)


def soup(chance: Random, styles: Sequence[str], calls: Sequence[str]) -> str:
    """A SELECT of literals, with calls that must not be reached."""
    parts = ["SELECT", " ", gap(chance)]
    for number in range(chance.randint(1, 5)):
        if number:
            parts += [gap(chance), ",", gap(chance)]
        hostile = calls and chance.random() < 0.35
        parts.append(chance.choice(calls) if hostile else literal(chance, styles))
        if chance.random() < 0.15:
            # A literal that goes on in the next line, or another one beside it.
            parts += [chance.choice(("\n", " ", "\n--x\n", "/**/")), literal(chance, styles)]
    parts.append(gap(chance))
    for _ in range(chance.choice((0, 0, 1, 1, 2))):
        at = chance.randrange(2, len(parts) + 1)
        match chance.randrange(4):
            case 0:
                parts.insert(at, chance.choice(_DAMAGE))
            case 1 if at < len(parts):
                del parts[at]
            case 2 if at < len(parts):
                parts.insert(at, parts[at])
            case _:
                whole = "".join(parts)
                at = chance.randrange(7, len(whole) + 1)
                parts = [whole[:at], chance.choice(_DAMAGE), whole[at:]]
    return "".join(parts)


_PLACES = (
    "SELECT {}",
    "SELECT 1, ({})",
    "SELECT * FROM (SELECT {} AS a) AS q",
    "WITH q AS (SELECT {} AS a) SELECT a FROM q",
    "SELECT id FROM item WHERE {} IS NOT NULL",
    "SELECT id FROM item ORDER BY {}",
    "SELECT CASE WHEN 1 = 1 THEN {} END",
    "SELECT coalesce({}, NULL)",
    "SELECT count(*) FROM item GROUP BY {}",
    "SELECT count(*) FROM item HAVING {} IS NOT NULL",
    "SELECT 1 UNION ALL SELECT {}",
    "SELECT (SELECT {} FROM item LIMIT 1)",
    "SELECT max({}) FROM item",
    "SELECT id FROM item WHERE id IN (SELECT {})",
    "SELECT a.id FROM item AS a JOIN item AS b ON {} IS NOT NULL",
    "VALUES ({})",
    "SELECT id FROM item LIMIT 1 OFFSET {}",
    "SELECT row_number() OVER (ORDER BY {}) FROM item",
)


def place_call(chance: Random, call: str) -> str:
    """A call in a place of a query, in another spelling."""
    text = chance.choice(_PLACES).replace("{}", spelled(chance, call))
    if chance.random() < 0.3:
        words = text.split(" ")
        at = chance.randrange(len(words))
        words[at] += gap(chance)
        text = " ".join(words)
    return text


def spelled(chance: Random, call: str) -> str:
    """A call with other cases, quotes and gaps."""
    name, bracket, rest = call.partition("(")
    match chance.randrange(7):
        case 0:
            name = name.upper()
        case 1:
            name = "".join(chance.choice((c.upper(), c.lower())) for c in name)
        case 2 if bracket:
            name += gap(chance)
        case 3 if bracket:
            name = f'"{name}"'
        case 4 if bracket:
            name = f"`{name}`"
        case 5 if bracket:
            escaped = "".join(f"\\{ord(c):04x}" for c in name)
            name = f'U&"{escaped}"'
        case _:
            pass
    return name + bracket + rest
