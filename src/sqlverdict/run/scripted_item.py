"""Cases whose golds and predictions may write: they run on throw-away copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlverdict.records import Outcome, Reason, Relation
from sqlverdict.refute.witness import NotRefuted, Refutation
from sqlverdict.run.item import RunItem
from sqlverdict.run.prove_stage import SOUND

if TYPE_CHECKING:
    from sqlverdict.prove.proof import Derivation

_WRITES = "the statements may write: answers on a copy are compared, and nothing more"


class ScriptedItem(RunItem):
    """An item whose answers are what a database shows after the statements."""

    def _run(self, database: str, sql: str) -> Outcome:
        script = self.case.script
        assert script is not None, "a scripted item has a script"
        if not database:
            return self._no_database()
        return self._note(self._runner.run_script(database, script, sql))

    def refute(self) -> Refutation:
        """Nothing is searched."""
        return NotRefuted(0, reason=Reason.UNSUPPORTED_FEATURE, message=_WRITES)

    def refute_relation(self, relation: Relation) -> Refutation | None:
        """Nothing is searched."""
        del relation
        return None

    def prove(self, profile: str = SOUND) -> Derivation:
        """Nothing is proved."""
        from sqlverdict.prove.proof import NotProved

        del profile
        return NotProved(_WRITES, Reason.UNSUPPORTED_FEATURE)
