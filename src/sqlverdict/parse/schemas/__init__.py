"""Where schemas come from, one file per source.

``load``          load_schemas(): a ``tables.json``, a kind below, or a folder of databases
``sqlite``        from a SQLite file, as the engine describes it
``ddl``           from CREATE statements, which SQLite runs in memory
``create_table``  the parts of a CREATE TABLE statement as text
``column_types``  what a column holds, by its declared type, where types are enforced
``assumed``       the tables and columns that queries speak of, where no schema is known
"""
