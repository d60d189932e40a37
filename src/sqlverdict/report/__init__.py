"""Reports: figures of runs as records, and how they are shown.

``terminal/``      tables as records, the console, live progress
``charts/``        charts as SVG text
``one_run/``       what a report says about one run: sections, one case in words, the files
``several_runs/``  comparisons, gates, leaderboards; they print nothing
``agreement/``     runs beside human labels
``reliability/``   RS(c), risk and coverage, thresholds
``html/``          ``report.html``: one or several runs as a page to send
``files``          writes the reports beside a run's log
``built_benchmark``  a built benchmark and its lints, as tables and as a page
"""
