"""The functions and procedures of a database, and which of them leave something behind.

A function with the rights of its caller may set variables of the session: the next query would
find them. Such functions are not called. Their texts are looked at token by token.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlverdict.execute.engines.mysql.sandbox import DIALECT, names_in
from sqlverdict.execute.lexemes import Lex, solid_lexemes
from sqlverdict.execute.servers.statements import rows_of
from sqlverdict.parse.tokens import word_set

if TYPE_CHECKING:
    from sqlverdict.execute.engines.mysql.connection import Connection

_SETTINGS: Final = word_set(
    "session global local persist persist_only names character charset password role transaction "
    "statement default resource"
)
"""Words behind SET that set more than a variable of the function."""
_LASTING: Final = word_set("call last_insert_id")
"""Words of a text that may leave something behind: a procedure may do what it likes."""


class Routine(NamedTuple):
    """A function or procedure of a database."""

    name: str
    kind: str
    text: str | None
    is_callers: bool
    """It runs with the rights of who calls it, and not of its owner."""
    sets_variables: bool
    """It sets variables or settings of the session, or its text cannot be seen."""

    @property
    def is_harmless(self) -> bool:
        """Whether a query may call it."""
        return self.kind == "FUNCTION" and self.is_callers and not self.sets_variables


def routines_of(connection: Connection, database: str) -> tuple[Routine, ...]:
    """The functions and procedures of a database that a connection sees."""
    rows = rows_of(
        connection,
        "SELECT routine_name, routine_type, routine_definition, security_type = 'INVOKER' "
        "FROM information_schema.routines WHERE routine_schema = %s ORDER BY 1, 2",
        database,
    )
    if not rows:
        return ()
    settings = {str(name).lower() for name, _ in rows_of(connection, "SHOW VARIABLES")} | _SETTINGS
    texts: dict[str, str] = {}
    direct: set[str] = set()
    for name, _, text, _ in rows:
        # A function and a procedure may have one name.
        key, body = str(name).lower(), str(text or "")
        texts[key] = f"{texts.get(key, '')} {body}"
        if sets_variables(body, settings):
            direct.add(key)
    setters = users_of(direct, texts)
    return tuple(
        Routine(
            str(name),
            str(kind),
            None if text is None else str(text),
            bool(is_callers),
            str(name).lower() in setters,
        )
        for name, kind, text, is_callers in rows
    )


def sets_variables(text: str, settings: Collection[str]) -> bool:
    """Whether the text of a function sets what outlives the function.

    Args:
        text: The text; an empty one cannot be seen.
        settings: The names of the server's variables, and what may stand before them.
    """
    parts = solid_lexemes(text, DIALECT)
    texts = ["", *(part.name if part.kind is Lex.WORD else part.text for part in parts), ""]
    if not text or any(word.startswith("@") or word in _LASTING for word in texts):
        return True
    depth, is_setting = 0, False
    for before, word, behind in zip(texts, texts[1:], texts[2:], strict=False):
        depth += (word == "(") - (word == ")")
        if word == "set" and before != "character":
            depth, is_setting = 0, True
        elif word == ";":
            is_setting = False
        # An assignment begins behind the verb, and behind each comma.
        begins = is_setting and depth == 0 and word in ("set", ",")
        if begins and behind.strip("`").lower() in settings:
            return True
    return False


def users_of(names: Collection[str], texts: dict[str, str]) -> frozenset[str]:
    """These names, and those whose text names one of them, directly or through others.

    Args:
        names: Names in lower case.
        texts: The text of each name.
    """
    users = set(names)
    while True:
        more = {
            name
            for name, text in texts.items()
            if name not in users and not users.isdisjoint(names_in(text))
        }
        if not more:
            return frozenset(users)
        users |= more
