"""Cases whose golds and predictions may write: they run on throw-away copies."""

from __future__ import annotations

from sqlverdict.records import Outcome
from sqlverdict.run.answers_only import AnswersOnlyItem


class ScriptedItem(AnswersOnlyItem):
    """An item whose answers are what a database shows after the statements."""

    why = "the statements may write: answers on a copy are compared, and nothing more"

    def _run(self, database: str, sql: str) -> Outcome:
        script = self.case.script
        assert script is not None, "a scripted item has a script"
        if not database:
            return self._no_database()
        return self._note(self._runner.run_script(database, script, sql, self.case.golds))
