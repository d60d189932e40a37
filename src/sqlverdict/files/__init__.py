"""Files: the one way to do each small thing with them.

``atomic``    files that are written in one step
``command_words``  the words of a command line that is proposed again
``digests``   digests of files and of databases
``escapes``   control characters in a terminal, formulas in a spreadsheet: spelled out
``inflect``   regular plurals of English nouns
``lock``      a folder or a file that one process at a time writes to
``markdown``  tables in Markdown
``other_engines``  files and DDL of other engines: how they show, what to do
``references``  a database: the path of a file, or a URL
``regular``   files that users name: no pipes, sockets or devices
``result_csv``  results as CSV, typed as pandas does
``sealed``    JSON with a checksum: files written at once, and lines that are only appended
``secrets``   addresses without what may be secret in them
``sqlite``    a SQLite file opened for reading, and names as SQL writes them
``store``     one SQLite file of entries that several processes share: caches, the bank
``text``      text and JSON files, with errors that say where and what to do
``thread_cache``  a cache for what two threads must not use at the same time
"""
