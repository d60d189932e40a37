"""Text in, structure out: nothing here runs a query.

The folder holds

* ``tokens``: a fast lexer without dependencies, and what can be said from tokens alone;
* ``features``: the SQL features a query uses, from its tokens;
* ``query``: ``parse(text) -> Query | ParseFailure``, on sqlglot's trees;
* ``comma_joins``: ``FROM a, b ON ...`` written with JOIN, for sqlglot;
* ``grammar``: SQLite's own opinion on whether a text is SQL;
* ``clauses``: a SELECT cut into the verbatim texts of its clauses;
* ``order``: what a query says about the order of its rows, and the probe that finds ties;
* ``inner_order``: queries whose LIMIT takes the first rows of an ordered query inside;
* ``hardness``: Spider's and TrustSQL's levels of difficulty;
* ``schema``, ``facts``: tables, columns, keys, and what they promise about every database;
* ``collations``: which texts a declared column takes for the same;
* ``schema_sqlite``, ``schema_ddl``, ``schema_tables_json``: one file a source of schemas;
* ``schemas``: ``load_schemas(path)``, which tells those sources apart;
* ``accepted``: what SQLite says against a query on a schema, on empty tables;

Import from the modules: this file imports none of them, so that a start-up that needs
no tree does not pay for sqlglot.
"""
