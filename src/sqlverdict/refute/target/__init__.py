"""Witnesses on engines other than SQLite: SQLite proposes, the engine itself confirms.

``search``      the search: a fast screen on SQLite, then instances on the engine itself
``pair``        a pair of queries in both spellings, and what makes its instances
``trial``       both queries of a pair on one instance, in a scratch database of the engine
``chosen_texts``  answers as if each group showed one of its equal texts
``lite``        a schema, a query and real rows of another engine as SQLite would have them
``lite_forms``  dates, JSON and patterns in SQLite's words
``fit``         rows with cells that the columns of the engine take
``forms``       values of types whose texts have one form: addresses, bits, ranges
``own_types``   values for labels, sets of them, lists, maps and intervals
``nested``      lists, structures and intervals as texts
``script``      a witness as a script of the engine, and its replay
``script_tables``  the tables and rows of a script as data, and what a replay makes of them
"""
