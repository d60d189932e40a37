"""The ETM paper's profile, all of it: the paper's metric, not a proof.

No other folder imports from here. Without this folder and its name in two registries
(``prove/profile.py``, ``prove/rule.py``) and without the metric ``etm``, all else works.

``etm_paper``    the profile: read a query as the paper's script does, rewrite in its order, compare
``constraints``  what the script takes for UNIQUE, NON_NULL and a foreign key
``shapes``       small tools for trees that are not resolved
``rules/``       the paper's rules, by topic
"""
