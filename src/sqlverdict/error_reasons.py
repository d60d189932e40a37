"""Why an error was raised: closed sets, so that a program need not read the message.

Each error of :mod:`sqlverdict.errors` that has a ``reason`` has one of its set.
"""

from __future__ import annotations

from typing import Literal

DataReason = Literal[
    "missing",
    "unreadable",
    "wrong_kind",
    "unsupported",
    "another_version",
    "changed",
    "empty",
    "missing_field",
    "wrong_value",
    "unknown_name",
    "repeated",
    "conflict",
    "unclear",
    "incomplete",
    "mismatch",
    "failed",
]
"""Why a file or record is not what it should be.

===================  ==============================================================================
reason               what was found
===================  ==============================================================================
``missing``          there is no such file, folder, split or database
``unreadable``       it cannot be read: rights, encoding, broken JSON, broken rows, broken SQL
``wrong_kind``       a file of another kind, a folder, or JSON of another form
``unsupported``      it is of a kind, an engine or a size that is not read here
``another_version``  another version of sqlverdict wrote it, and this one does not read that
``changed``          it was changed after sqlverdict wrote it
``empty``            it holds nothing, or too little, of what is looked for
``missing_field``    a record has no value where it needs one
``wrong_value``      a value is not what it may be there
``unknown_name``     it names a case, a field, a system or a sheet that there is not
``repeated``         an id or a name stands there more than once
``conflict``         there are two values, of which one alone can be meant
``unclear``          it does not say which column or field is which; see ``choices``
``incomplete``       not every case has its answer, its label or its votes
``mismatch``         two inputs, or two lists, do not fit each other
``failed``           a step of ours failed; the message says how
===================  ==============================================================================
"""

DatabaseReason = Literal[
    "missing",
    "unreadable",
    "not_a_database",
    "damaged",
    "locked",
    "changed",
    "unreachable",
    "refused",
    "unsupported",
    "failed",
]
"""Why a database cannot be used.

==================  ===============================================================================
reason              what happened
==================  ===============================================================================
``missing``         there is no such file, or the server has no database of that name
``unreadable``      the file is there, and the system does not let it be read
``not_a_database``  a file or address of another kind, or of another engine
``damaged``         cut short, left in the middle of a transaction, or torn
``locked``          another program has it open for writing
``changed``         it is not the database that was there before, or on another node
``unreachable``     its server does not answer, or the connection was lost
``refused``         the server refuses the login, or a right is missing or too much
``unsupported``     the engine, its version or the size of the database does not allow it
``failed``          a statement of ours failed; the message says how
==================  ===============================================================================
"""

RunLogReason = Literal[
    "missing",
    "unfinished",
    "in_use",
    "another_run",
    "another_version",
    "damaged",
    "wrong_shards",
    "missing_metric",
    "unknown_inputs",
]
"""Why a run folder cannot be read or written to.

===================  ==============================================================================
reason               what happened
===================  ==============================================================================
``missing``          there is no run
``unfinished``       the run was stopped before its end; the same command goes on
``in_use``           another process writes to it
``another_run``      it holds a run with other inputs, options or versions
``another_version``  a version of sqlverdict wrote it whose files are not read any more, or not yet
``damaged``          a file was changed, was cut short, or cannot be read
``wrong_shards``     the runs to merge are no shards, or not each shard once
``missing_metric``   it was evaluated without that metric
``unknown_inputs``   it does not say what it was made from, or that is not there any more
===================  ==============================================================================
"""
