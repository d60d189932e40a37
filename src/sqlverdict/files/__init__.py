"""Files: the one way to do each small thing with them.

The folder holds

* ``digests``: digests of files and of databases;
* ``sqlite``: a SQLite file opened for reading, and names as SQL writes them.
"""
