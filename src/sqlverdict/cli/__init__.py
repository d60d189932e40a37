"""The command line.

``main``         the program: finds the command, lists all in ``--help``; exit codes of errors
``command``      commands whose options are the fields of a dataclass; help by headings
``failures``     the message and the exit code of an error; commands to copy
``settings``     ``--set KEY=VALUE``, and what to give instead of an unknown option
``project``      options from the project file, sqlverdict.toml
``own_data``     finds questions, predictions and the database in a folder, for ``init``
``evaluate_runs``  from the options of ``evaluate`` to finished runs
``gold_columns``  runs under other golds
``judge_contexts``  asks the judge of a run again, in other contexts
``count_labels``   counts people's labels by situation, for ``evaluate --set confidence=FILE``
``label_panel``   labels of other predictions: proofs that they hold, what to do where some lack
``run_cases``         the command that made a run, and the cases of a run, read again
``show_run``     prints a run, or several trials of one system
``show_case``    prints one case
``show_pair``    prints the search for a witness
``proposals``    finds and prints proposed golds, writes the page to review them
``write_html``   writes the page of ``--html``
``demo_gates``   the second part of the demo: detectors
``commands/``    one file for each command
``options/``     groups of options, and what is made of them

A command is a module in ``commands`` that defines one click command under its own name. The first
line of its docstring is its line in ``sqlverdict --help``.
"""
