"""What a run leaves behind, and how it is read: files first, then words.

* ``runlog``, ``manifest``, ``folder``, ``run``: the run folder, written, resumed, read.
* ``files``: the reports beside the log; ``markdown`` and ``junit`` write one each.
* ``tables``, ``sections``, ``classic``, ``case``: what a report says, as plain records.
* ``terminal``, ``progress``: how it looks on a screen.
* ``comparison``, ``gate``, ``leaderboard``: figures over several runs; they print nothing.
  ``same_cases`` sees to it that they are runs of one benchmark.
* ``agreement``: runs against people's labels. ``agreement_opinions`` says what a metric or judge
  says of a case, ``agreement_cases`` whose cases those are, ``agreement_tables`` and
  ``agreement_figures`` how it looks.
"""
