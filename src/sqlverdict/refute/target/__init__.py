"""Witnesses on engines other than SQLite: SQLite proposes, the engine itself confirms.

``search``   the search: a fast screen on SQLite, then instances on the engine itself
``trial``    both queries of a pair on one instance, on the engine
``lite``     a schema and a query of another engine as SQLite would have them
``fit``      rows with cells that the columns of the engine take
``mirror``   the real rows of a database in a SQLite file, for grades and values
``scratches``  the scratch databases of a process, kept for the next pair
``script``   a witness as a script of the engine, and its replay
"""
