"""Figures over several runs. Nothing here prints.

``same_cases``     whether runs are about the same cases
``comparison``     two runs side by side: which cases changed, and whether that is chance
``gate``           conditions for CI that a run must meet
``leaderboard``    several systems on the cases they share
``ranks``          how a ranking changes when another metric ranks
``ranks_figures``  the same as SVG
``metric_errors``  where metrics are wrong, by a reference
"""
