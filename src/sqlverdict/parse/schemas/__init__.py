"""Where schemas come from, one file per source.

``load``          load_schemas(): a ``tables.json``, a kind below, or a folder of databases
``sqlite``        from a SQLite file, as the engine describes it
``ddl``           from CREATE statements, which SQLite runs in memory
``create_table``  CREATE TABLE and its parts as text
``hidden``        tables that a query finds by their schema alone: names, and views over them
``column_types``  what a column holds by its declared type, and which texts it takes for the same
``disagreement``  where a schema that somebody gives is not that of the database
``assumed``       the tables and columns that queries speak of, where no schema is known
"""
