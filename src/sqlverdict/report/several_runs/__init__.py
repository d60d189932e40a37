"""Figures over several runs. Nothing here prints.

``same_cases``     whether runs are about the same cases
``comparison``     two runs side by side: which cases changed, and whether that is chance
``flips``          which questions became wrong or right since a baseline, and what is noise
``gate_rules``     the conditions of a gate as users write them
``gate``           conditions for CI that a run must meet
``trials``         several runs of one system as trials: pass@k, agreement
``pull_request``   the result of a gate as a comment on a pull request
``paper_table``    systems by metrics, or by metric and level, as a paper prints them
``golds_board``    systems under several sets of golds: values, ranks that move
``golds_changes``  what another set of golds changes, tested in pairs
``golds_questions``  the questions that another set of golds moves, with the evidence
``golds_tables``   the same as tables and sentences
``leaderboard``    several systems on the cases they share
``ranks``          how a ranking changes when another metric ranks
``ranks_figures``  the same as SVG
``metric_errors``  where metrics are wrong, by a reference
``contributions``  what each rule of ETM contributes
"""
