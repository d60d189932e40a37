"""Text in, structure out: nothing here runs a query on data.

Import from the modules: this file imports none of them, so that a start-up that needs no tree
does not pay for sqlglot.

``query``        parse(): text to a Query, or a failure that says where and why
``tokens``       a fast lexer without dependencies, and what can be said from tokens alone
``grammar``      SQLite's own opinion: whether a text is SQL, and what it says on empty tables
``measure``      which texts are too large to read; a text without comments and decided lists
``clauses``      a SELECT cut into the verbatim texts of its clauses
``frozen``       trees that refuse every change, since all callers share them
``features``     the SQL features a query uses, from its tokens
``hardness``     Spider's and TrustSQL's levels of difficulty
``order``        what a query says about the order of its rows, and the probe that finds ties
``plain_order``  the same for a plain SELECT, from its tokens alone
``inner_order``  queries without ORDER BY that take their rows from an ordered query inside;
                 ties on engines other than SQLite, ranked by the engine
``ehrsql``       what EHRSQL's queries leave to the evaluation: the present time, normal ranges
``names``        which column a name in a query means: the one resolver
``from_names``   items of FROM, and which common table expression a name there means
``qualified``    tables that a query names with their schema, each under one plain name
``schema``       tables, columns and keys
``schemas/``     where schemas come from
``facts``        what a schema promises about every database that obeys it
"""
