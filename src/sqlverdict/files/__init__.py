"""Files: the one way to do each small thing with them.

The folder holds

* ``digests``: digests of files and of databases;
* ``secrets``: addresses without what may be secret in them;
* ``sqlite``: a SQLite file opened for reading, and names as SQL writes them.
"""
