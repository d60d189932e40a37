"""Files: the one way to do each small thing with them.

The folder holds

* ``atomic``: files that are written in one step;
* ``digests``: digests of files and of databases;
* ``lock``: a folder that one process at a time writes to;
* ``escapes``: the border to the terminal, which spells control characters out;
* ``secrets``: addresses without what may be secret in them;
* ``sqlite``: a SQLite file opened for reading, and names as SQL writes them.
"""
