"""The commands, one file each; a folder is a section of ``sqlverdict --help``.

``runs/``   evaluate systems, and read runs
``pairs/``  two queries: proofs and witnesses
``data/``   check and build data
``labels/`` human labels
``lists/``  explain members of registries
"""
